// Package modeltest compares a cloud that is killed again and again with a
// simple model of it. It has tests only.
package modeltest
