// Command cluster is every program of a Kubernetes control plane in one file: `cluster PROGRAM [OPTION…]`.
//
// One file a minor is linked once, where a file a program would be linked five times.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var servers = map[string]func() *cobra.Command{
	"etcd":                    newEtcdCommand,
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kube-controller-manager": controllers.NewControllerManagerCommand,
}

var others = map[string]func() *cobra.Command{
	"new-key":           newKeyCommand,
	"answer-cel":        newAnswerCELCommand,
	"answer-allocation": newAnswerAllocationCommand,
}

const usage = "usage: cluster etcd|kube-apiserver|kube-scheduler|kube-controller-manager|new-key|answer-cel|answer-allocation [OPTION...]"

func main() {
	if len(os.Args) > 1 {
		os.Args = os.Args[1:]
	}
	if newServer := servers[os.Args[0]]; newServer != nil {
		go endWithParent()
		os.Exit(cli.Run(newServer()))
	}
	if newOther := others[os.Args[0]]; newOther != nil {
		os.Exit(cli.Run(newOther()))
	}
	fmt.Fprintln(os.Stderr, usage)
	os.Exit(2)
}

// endWithParent ends a server when the other end of its standard input is closed, so that a test run that was
// killed leaves none behind.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}
