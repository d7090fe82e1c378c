// Entry point of the JavaScript provider: ciphers, and a loop that times them for ciphermark-driver.
import { serve } from "./program/serve.js";

await serve();
