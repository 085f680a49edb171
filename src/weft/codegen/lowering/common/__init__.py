"""What lowerings of several operations share."""
