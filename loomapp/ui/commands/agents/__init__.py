"""Commands about agents, endpoints and models."""
