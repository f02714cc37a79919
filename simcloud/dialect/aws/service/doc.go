// Package service is what the services of AWS share in simcloud: operations as a table of
// names, types and what they stand for in the cloud; errors by tables of codes; filters, pages, tags and ids.
package service
