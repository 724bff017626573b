"""Who may do what: routes and their scopes, callers and their keys, sessions of the page, signed links, rate limits."""
