// Package sdktest is the dialect of AWS as AWS' own client for Go sees it, in the versions that the CCM has. It
// is a module of its own, so that nothing else depends on that client, whose part for EC2 alone takes minutes to compile.
package sdktest
