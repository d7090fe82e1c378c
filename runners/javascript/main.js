// Entry point of the JavaScript provider: stamps its start, then executes the command.
const mainNs = process.hrtime.bigint();

const { execute } = await import("./program/entry.js");

process.exitCode = await execute(process.argv.slice(2), mainNs);
