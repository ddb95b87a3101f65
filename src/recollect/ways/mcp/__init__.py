"""The way in over MCP: what is offered, how it is served, and the transport over stdio."""
