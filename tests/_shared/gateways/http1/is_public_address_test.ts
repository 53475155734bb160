import assert from "node:assert/strict";
import { isPublicAddress } from "../../../../supabase/functions/_shared/gateways/http1/addresses.ts";

const PUBLIC = ["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "100.63.255.255", "2606:4700::1111"];

const PRIVATE = {
  "this machine": ["127.0.0.1", "127.255.255.254", "::1"],
  "nothing yet": ["0.0.0.0", "0.1.2.3", "::"],
  "private networks": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
  "unique local": ["fc00::1", "fd12:3456::1", "fec0::1"],
  "link-local, where clouds keep their metadata": ["169.254.169.254", "fe80::1", "fe80::a9fe:a9fe"],
  "what Azure's machines reach their platform by": ["168.63.129.16", "::ffff:168.63.129.16"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
  "multicast and broadcast": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"],
  "reserved": ["192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "240.0.0.1"],
  "reserved in IPv6": ["2001:db8::1", "3fff::1", "100::1", "100:0:0:1::1", "5f00::1", "4000::1"],
  "IPv4 in IPv6": ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:169.254.169.254", "::127.0.0.1"],
  "on the way to IPv4": ["64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:7f00:1::"],
  "no address": ["", "localhost", "example.com", "127.0.0.1:80", "[::1]", "fe80::1%eth0x/"],
};

Deno.test("isPublicAddress() accepts addresses that are routed on the internet", () => {
  assert.deepEqual(PUBLIC.filter((address) => !isPublicAddress(address)), []);
});

Deno.test("isPublicAddress() sees the IPv4 address in an IPv4-mapped one", () => {
  assert.equal(isPublicAddress("::ffff:8.8.8.8"), true);
});

for (const [kind, addresses] of Object.entries(PRIVATE)) {
  Deno.test(`isPublicAddress() refuses ${kind}`, () => {
    assert.deepEqual(addresses.filter(isPublicAddress), []);
  });
}
