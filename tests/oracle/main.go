// Command oracle answers with Kubernetes' own CEL what a device selector means.
//
// It reads JSON Lines from standard input and writes one line for each, in order; README.md has the fields.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
)

const maxLine = 64 << 20

type question struct {
	ID         string                      `json:"id"`
	Expression string                      `json:"expression"`
	Slices     []resourceapi.ResourceSlice `json:"slices,omitempty"`
}

type answer struct {
	ID       string         `json:"id"`
	Accepted bool           `json:"accepted"`
	Message  *string        `json:"message"`
	Type     *string        `json:"type"`
	Cost     *uint64        `json:"cost"`
	Matches  map[string]any `json:"matches,omitempty"`
}

func main() {
	gates := flag.String("feature-gates", "", "Name=true,… of the gates that change the language; those not named are off")
	slicesFile := flag.String("slices", "", "file of ResourceSlices, one in JSON a line, for questions without slices of their own")
	flag.Parse()
	if err := run(*gates, *slicesFile, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
}

func run(gates, slicesFile string, in io.Reader, out io.Writer) error {
	features, err := parseGates(gates)
	if err != nil {
		return err
	}
	var shared []resourceapi.ResourceSlice
	if slicesFile != "" {
		if shared, err = readSlices(slicesFile); err != nil {
			return err
		}
	}
	writer := bufio.NewWriter(out)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	return eachLine(in, func(line []byte) error {
		var asked question
		if err := json.Unmarshal(line, &asked); err != nil {
			return err
		}
		slices := asked.Slices
		if slices == nil {
			slices = shared
		}
		return encoder.Encode(reply(features, asked, slices))
	})
}

// parseGates sets the fields of cel.Features by name, because a minor has only those of its own gates.
func parseGates(text string) (cel.Features, error) {
	var features cel.Features
	fields := reflect.ValueOf(&features).Elem()
	for _, item := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		name, value, _ := strings.Cut(item, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			return features, fmt.Errorf("feature gate %q: %w", item, err)
		}
		field := fields.FieldByName("Enable" + strings.TrimPrefix(name, "DRA"))
		if !field.IsValid() {
			return features, fmt.Errorf("feature gate %q does not change the language of this version", name)
		}
		field.SetBool(on)
	}
	return features, nil
}

func readSlices(path string) ([]resourceapi.ResourceSlice, error) {
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

func eachLine(in io.Reader, do func([]byte) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	for number := 1; scanner.Scan(); number++ {
		if len(scanner.Bytes()) == 0 {
			continue
		}
		if err := do(scanner.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return scanner.Err()
}

// reply compiles as the API server does for a new object, and evaluates as the scheduler does: with the
// environment of stored expressions, and whatever the estimated cost.
func reply(features cel.Features, asked question, slices []resourceapi.ResourceSlice) answer {
	compiler := cel.GetCompiler(features)
	newExpressions := environment.NewExpressions
	compiled := compiler.CompileCELExpression(asked.Expression, cel.Options{EnvType: &newExpressions})
	replied := answer{ID: asked.ID}
	if compiled.Error != nil {
		replied.Message = &compiled.Error.Detail
	} else {
		kind := compiled.OutputType.String()
		replied.Type, replied.Cost = &kind, &compiled.MaxCost
		replied.Accepted = compiled.MaxCost <= resourceapi.CELSelectorExpressionMaxCost &&
			len(asked.Expression) <= resourceapi.CELSelectorExpressionMaxLength
	}
	stored := compiler.CompileCELExpression(asked.Expression, cel.Options{DisableCostEstimation: true})
	if stored.Error == nil && len(slices) > 0 {
		replied.Matches = matches(stored, slices)
	}
	return replied
}

func matches(compiled cel.CompilationResult, slices []resourceapi.ResourceSlice) map[string]any {
	found := map[string]any{}
	for _, slice := range slices {
		for _, device := range slice.Spec.Devices {
			key := slice.Name + "/" + device.Name
			matched, _, err := compiled.DeviceMatches(context.Background(), cel.Device{
				Driver:                   slice.Spec.Driver,
				AllowMultipleAllocations: device.AllowMultipleAllocations,
				Attributes:               device.Attributes,
				Capacity:                 device.Capacity,
			})
			if err != nil {
				found[key] = "error: " + err.Error()
			} else {
				found[key] = matched
			}
		}
	}
	return found
}
