package hcloud

import (
	"context"
	"fmt"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Config reads how the cloud behaves, for whoever asks.
type Config func(ctx context.Context) (simcloud.Config, error)

// read is the configuration; without a cloud that has one it is that of a new cloud.
func (config Config) read(ctx context.Context) (simcloud.Config, error) {
	if config == nil {
		return simcloud.Config{}, nil
	}
	return config(ctx)
}

// variant is the answer that the cloud is to give to what Hetzner's documents do not say.
func (config Config) variant(ctx context.Context, name string) (string, error) {
	of, err := config.read(ctx)
	return of.Variant(name), err
}

// unsaidCheck is a health check of which a request says nothing, but for its port.
func (config Config) unsaidCheck(ctx context.Context) (simcloud.HealthCheck, error) {
	times, err := config.variant(ctx, simcloud.VariantHcloudHealthCheck)
	if err != nil {
		return simcloud.HealthCheck{}, err
	}
	check := simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP}
	_, err = fmt.Sscanf(times, "%d-%d-%d", &check.IntervalSeconds, &check.TimeoutSeconds, &check.Threshold)
	return check, err
}

// refusalStatus is the status of errors for which the documents have none.
func (config Config) refusalStatus(ctx context.Context) int {
	text, err := config.variant(ctx, simcloud.VariantHcloudRefusalStatus)
	status, errNumber := strconv.Atoi(text)
	if err != nil || errNumber != nil {
		return statusUnprocessable
	}
	return status
}
