"""The limits of the server itself, for requests, connections and responses, whatever they are for."""
