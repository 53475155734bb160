module github.com/outbound/outbound-go

go 1.24
