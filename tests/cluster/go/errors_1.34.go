//go:build k134

package main

import "errors"

// errFailedOnNode is what no error of the allocator of 1.34 is: there each stops the whole Pod.
var errFailedOnNode = errors.New("failed on the node alone")
