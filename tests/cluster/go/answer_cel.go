package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
)

type celQuestion struct {
	ID         string                      `json:"id"`
	Expression string                      `json:"expression"`
	Slices     []resourceapi.ResourceSlice `json:"slices,omitempty"`
}

type celAnswer struct {
	ID       string         `json:"id"`
	Accepted bool           `json:"accepted"`
	Message  *string        `json:"message"`
	Type     *string        `json:"type"`
	Cost     *uint64        `json:"cost"`
	Matches  map[string]any `json:"matches,omitempty"`
}

func newAnswerCELCommand() *cobra.Command {
	var gates, slicesFile string
	command := &cobra.Command{
		Use:          "answer-cel",
		Short:        "says what Kubernetes makes of device selectors",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			var features cel.Features
			if err := setGates(&features, "Enable", gates); err != nil {
				return err
			}
			shared, err := readSlices(slicesFile)
			if err != nil {
				return err
			}
			return answerLines(func(asked celQuestion) (celAnswer, error) {
				if asked.Slices == nil {
					asked.Slices = shared
				}
				return answerCEL(features, asked), nil
			})
		},
	}
	command.Flags().StringVar(&gates, "feature-gates", "", "Name=true,… of the gates that change the language; those not named are off")
	command.Flags().StringVar(&slicesFile, "slices", "", "file of ResourceSlices, one in JSON a line, for questions without slices of their own")
	return command
}

func readSlices(path string) ([]resourceapi.ResourceSlice, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var slices []resourceapi.ResourceSlice
	err = eachLine(file, func(line []byte) error {
		var slice resourceapi.ResourceSlice
		if err := json.Unmarshal(line, &slice); err != nil {
			return err
		}
		slices = append(slices, slice)
		return nil
	})
	return slices, err
}

// answerCEL compiles as the API server does for a new object, and evaluates as the scheduler does: with the
// environment of stored expressions, and whatever the estimated cost.
func answerCEL(features cel.Features, asked celQuestion) celAnswer {
	compiler := cel.GetCompiler(features)
	newExpressions := environment.NewExpressions
	compiled := compiler.CompileCELExpression(asked.Expression, cel.Options{EnvType: &newExpressions})
	answered := celAnswer{ID: asked.ID}
	if compiled.Error != nil {
		answered.Message = &compiled.Error.Detail
	} else {
		kind := compiled.OutputType.String()
		answered.Type, answered.Cost = &kind, &compiled.MaxCost
		answered.Accepted = compiled.MaxCost <= resourceapi.CELSelectorExpressionMaxCost &&
			len(asked.Expression) <= resourceapi.CELSelectorExpressionMaxLength
	}
	stored := compiler.CompileCELExpression(asked.Expression, cel.Options{DisableCostEstimation: true})
	if stored.Error == nil && len(asked.Slices) > 0 {
		answered.Matches = matches(stored, asked.Slices)
	}
	return answered
}

func matches(compiled cel.CompilationResult, slices []resourceapi.ResourceSlice) map[string]any {
	found := map[string]any{}
	for _, slice := range slices {
		for _, device := range slice.Spec.Devices {
			matched, _, err := compiled.DeviceMatches(context.Background(), cel.Device{
				Driver:                   slice.Spec.Driver,
				AllowMultipleAllocations: device.AllowMultipleAllocations,
				Attributes:               device.Attributes,
				Capacity:                 device.Capacity,
			})
			key := slice.Name + "/" + device.Name
			if err != nil {
				found[key] = "error: " + err.Error()
			} else {
				found[key] = matched
			}
		}
	}
	return found
}
