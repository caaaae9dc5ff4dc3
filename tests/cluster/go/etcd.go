package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
)

// newEtcdCommand serves one member, whose data nobody will read again: it does not wait for the disk.
func newEtcdCommand() *cobra.Command {
	var folder, clients, peers string
	command := &cobra.Command{
		Use:          "etcd",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			return serveEtcd(folder, clients, peers)
		},
	}
	command.Flags().StringVar(&folder, "data-dir", "", "folder of the data")
	command.Flags().StringVar(&clients, "listen-client-url", "", "such as http://127.0.0.1:2379")
	command.Flags().StringVar(&peers, "listen-peer-url", "", "such as http://127.0.0.1:2380")
	return command
}

func serveEtcd(folder, clients, peers string) error {
	client, err := url.Parse(clients)
	if err != nil {
		return err
	}
	peer, err := url.Parse(peers)
	if err != nil {
		return err
	}
	config := embed.NewConfig()
	config.Dir = folder
	config.UnsafeNoFsync = true
	config.LogLevel = "warn"
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	config.InitialCluster = fmt.Sprintf("%s=%s", config.Name, peers)
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	select {
	case <-stop:
		return nil
	case err := <-server.Err():
		return err
	}
}
