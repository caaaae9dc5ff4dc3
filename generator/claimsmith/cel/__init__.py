"""The language of device selectors: parsing, types, cost and evaluation as Kubernetes has them."""
