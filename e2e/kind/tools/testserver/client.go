package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// timeoutFlag defines --timeout.
func timeoutFlag(flags *flag.FlagSet) *time.Duration {
	return flags.Duration("timeout", 5*time.Second, "how long to wait for the answer")
}

// get prints what a URL answers. An answer of 400 or more is an error.
func get(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("get", flag.ContinueOnError)
	timeout := timeoutFlag(flags)
	if err := parse(flags, args, 1, stderr); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, flags.Arg(0), nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(stdout, response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s: %s", flags.Arg(0), response.Status)
	}
	return nil
}

// ask sends a text over TCP or UDP and prints what is answered.
func ask(ctx context.Context, network string, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet(network, flag.ContinueOnError)
	timeout := timeoutFlag(flags)
	if err := parse(flags, args, 2, stderr); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, flags.Arg(0))
	if err != nil {
		return err
	}
	got, err := exchange(ctx, conn, flags.Arg(1))
	if err := errors.Join(err, conn.Close()); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, got)
	return err
}

// exchange sends a text and returns the answer: a datagram for a datagram, a line for a line.
func exchange(ctx context.Context, conn net.Conn, text string) (string, error) {
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return "", err
		}
	}
	if _, ok := conn.(*net.UDPConn); ok {
		if _, err := io.WriteString(conn, text); err != nil {
			return "", err
		}
		buffer := make([]byte, 64<<10)
		n, err := conn.Read(buffer)
		return string(buffer[:n]), err
	}
	if _, err := fmt.Fprintln(conn, text); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}
