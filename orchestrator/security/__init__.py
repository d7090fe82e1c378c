"""Who may do what: tokens, sessions of the dashboard, hosts and origins, request bodies, where to listen."""
