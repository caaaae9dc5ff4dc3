module claimsmith/tests/oracle

go 1.26.0

require (
	k8s.io/api v0.36.3
	k8s.io/apiserver v0.36.3
	k8s.io/dynamic-resource-allocation v0.36.3
)
