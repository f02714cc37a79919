// Package service is what the services of OpenStack share: how a request finds its operation, how ids, bodies, pages and
// errors are written, and the sessions of Keystone.
package service
