// Package model compares the model of the API server (test/world/apimodel) with the real one: both get the same random
// requests, and every answer and every watch has to be the same.
package model
