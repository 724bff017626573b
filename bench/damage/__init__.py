"""What damaged and hostile files do to those that read them."""
