"""The language of device selectors: parsing, types, cost and evaluation as the API server and the scheduler have them."""
