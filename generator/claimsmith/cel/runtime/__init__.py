"""What an expression computes with: values, operators and functions, as Kubernetes' CEL has them at run time."""
