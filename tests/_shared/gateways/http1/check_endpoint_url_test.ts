import assert from "node:assert/strict";
import { checkEndpointUrl } from "../../../../supabase/functions/_shared/gateways/http1/addresses.ts";

/** Ways to write 127.0.0.1 and its like that a browser, and a careless check, would let through. */
const DISGUISED = [
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://0177.0.0.01/",
  "https://127.1/",
  "https://0/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:a9fe:a9fe]/",
  "https://①②⑦.⓪.⓪.①/",
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.1:8443/",
];

Deno.test("checkEndpointUrl() refuses private addresses however they are written", () => {
  const reasons = DISGUISED.map((url) => [url, checkEndpointUrl(url, { allowPrivate: false })]);

  assert.deepEqual(reasons, DISGUISED.map((url) => [url, "Its address is not a public one"]));
});

Deno.test("checkEndpointUrl() accepts https URLs of names and public addresses", () => {
  for (const url of ["https://example.com/events?a=1", "https://8.8.8.8:8443/", "https://[2606:4700::1]/"]) {
    assert.equal((checkEndpointUrl(url, { allowPrivate: false }) as URL).href, url);
  }
});

Deno.test("checkEndpointUrl() refuses other schemes, credentials and what is no URL, in a sentence", () => {
  const check = (url: string) => checkEndpointUrl(url, { allowPrivate: false });

  assert.equal(check("http://example.com/"), "It does not begin with https://");
  assert.equal(check("file:///etc/passwd"), "It does not begin with https://");
  assert.equal(check("https://user:secret@example.com/"), "It holds a user name or password");
  assert.equal(check("example.com"), "It is not a URL");
  assert.equal(check(`https://example.com/${"x".repeat(2000)}`), "It is not a URL");
});

Deno.test("checkEndpointUrl() lets http and private addresses pass where they are allowed, other schemes never", () => {
  const check = (url: string) => checkEndpointUrl(url, { allowPrivate: true });

  assert.equal((check("http://127.0.0.1:8080/x") as URL).href, "http://127.0.0.1:8080/x");
  assert.equal(check("gopher://127.0.0.1/"), "It does not begin with https://");
});
