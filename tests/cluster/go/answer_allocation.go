package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

type deviceID struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	Device string `json:"device"`
}

// allocationQuestion has the claims of one Pod, which are allocated together.
type allocationQuestion struct {
	ID        string                       `json:"id"`
	Nodes     []*corev1.Node               `json:"nodes"`
	Slices    []*resourceapi.ResourceSlice `json:"slices"`
	Classes   []*resourceapi.DeviceClass   `json:"classes"`
	Claims    []*resourceapi.ResourceClaim `json:"claims"`
	Allocated []deviceID                   `json:"allocated"`
}

type allocationAnswer struct {
	ID    string  `json:"id"`
	Nodes [][]any `json:"nodes"`
}

func newAnswerAllocationCommand() *cobra.Command {
	var gates, celGates string
	command := &cobra.Command{
		Use:          "answer-allocation",
		Short:        "says what Kubernetes allocates for the claims of a Pod, node by node",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			var features structured.Features
			if err := setGates(&features, "", gates); err != nil {
				return err
			}
			var language cel.Features
			if err := setGates(&language, "Enable", celGates); err != nil {
				return err
			}
			return answerLines(func(asked allocationQuestion) (allocationAnswer, error) {
				return answerAllocation(features, language, asked)
			})
		},
	}
	command.Flags().StringVar(&gates, "feature-gates", "", "Name=true,… of the allocator's features; those not named are off")
	command.Flags().StringVar(&celGates, "cel-feature-gates", "", "the same, of the language of selectors")
	return command
}

// answerAllocation asks for each node as the scheduler's filter does.
func answerAllocation(features structured.Features, language cel.Features, asked allocationQuestion) (allocationAnswer, error) {
	allocated := sets.New[structured.DeviceID]()
	for _, device := range asked.Allocated {
		allocated.Insert(structured.MakeDeviceID(device.Driver, device.Pool, device.Device))
	}
	state := structured.AllocatedState{
		AllocatedDevices:         allocated,
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	ctx := context.Background()
	allocator, err := structured.NewAllocator(ctx, features, state, classes(asked.Classes), asked.Slices, cel.NewCache(100, language))
	if err != nil {
		return allocationAnswer{}, err
	}
	answered := allocationAnswer{ID: asked.ID}
	for _, node := range asked.Nodes {
		results, err := allocator.Allocate(ctx, node, asked.Claims)
		switch {
		case err != nil && !errors.Is(err, errFailedOnNode):
			answered.Nodes = append(answered.Nodes, []any{node.Name, "error", err.Error()})
		case len(results) == 0 && len(asked.Claims) > 0:
			answered.Nodes = append(answered.Nodes, []any{node.Name, "no"})
		default:
			answered.Nodes = append(answered.Nodes, []any{node.Name, "fit", devices(results)})
		}
	}
	return answered, nil
}

// devices lists what each claim got: request, driver, pool, device, consumed capacity or null, admin access.
func devices(results []resourceapi.AllocationResult) [][][]any {
	listed := [][][]any{}
	for _, result := range results {
		claim := [][]any{}
		for _, device := range result.Devices.Results {
			var consumed any
			if len(device.ConsumedCapacity) > 0 {
				consumed = device.ConsumedCapacity
			}
			admin := device.AdminAccess != nil && *device.AdminAccess
			claim = append(claim, []any{device.Request, device.Driver, device.Pool, device.Device, consumed, admin})
		}
		listed = append(listed, claim)
	}
	return listed
}

type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Group: "resource.k8s.io", Resource: "deviceclasses"}, name)
}
