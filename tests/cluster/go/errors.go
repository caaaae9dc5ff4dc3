//go:build !k134

package main

import "k8s.io/dynamic-resource-allocation/structured"

// errFailedOnNode is the base of the errors after which the scheduler tries the next node.
var errFailedOnNode = structured.ErrFailedAllocationOnNode
