import assert from "node:assert/strict";
import { withPlatform } from "./with_platform.ts";

Deno.test("GET / serves a page without inline script or style, under a strict policy", () =>
  withPlatform(async ({ url }) => {
    const response = await fetch(url);
    const html = await response.text();

    assert.equal(response.status, 200);
    const policy = response.headers.get("Content-Security-Policy")!;
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//);
  }));

Deno.test("GET / names only files that are served, and they only such files", () =>
  withPlatform(async ({ url }) => {
    const paths = new Set(["/"]);
    for (const path of paths) {
      const response = await fetch(url + path);
      const text = await response.text();
      assert.equal(response.status, 200, path);
      assert.ok(response.headers.get("Content-Security-Policy"));
      for (const [, found] of text.matchAll(/(?:src|href)="(\/[^"]*)"/g)) paths.add(found!);
      for (const [, found] of text.matchAll(/^import .* from "(\.[^"]*)"/gm)) {
        paths.add(new URL(found!, url + path).pathname);
      }
      assert.doesNotMatch(text, /innerHTML|insertAdjacentHTML|document\.write|\beval\(/, path);
    }
    assert.ok(paths.size >= 8, [...paths].join(" "));
  }));
