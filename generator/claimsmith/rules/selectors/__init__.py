"""Device selectors against what drivers publish: paths in a tree, devices to try it on, and what comes of it."""
