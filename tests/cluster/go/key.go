package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"

	"github.com/spf13/cobra"
)

// newKeyCommand prints a fresh private key for the tokens of service accounts.
func newKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use:          "new-key",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				return err
			}
			encoded, err := x509.MarshalECPrivateKey(key)
			if err != nil {
				return err
			}
			return pem.Encode(os.Stdout, &pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})
		},
	}
}
