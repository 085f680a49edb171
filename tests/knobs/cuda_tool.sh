#!/bin/sh
echo "Cuda compilation tools, release 99.9, V99.9.0"
