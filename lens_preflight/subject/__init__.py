"""What will run: launches with their environments, and the models of all the files around them."""
