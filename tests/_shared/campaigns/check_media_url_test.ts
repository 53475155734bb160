import assert from "node:assert/strict";
import { AppError } from "../../../supabase/functions/_shared/errors.ts";
import {
  checkMediaUrl,
  type MediaHeader,
} from "../../../supabase/functions/_shared/campaigns/check_media_url.ts";

const TAKEN: [name: MediaHeader, url: string][] = [
  ["header_image", "https://cdn.example.test/a.JPG"],
  ["header_image", "https://cdn.example.test/a.jpeg?size=2#x"],
  ["header_image", "https://cdn.example.test/a.gif"],
  ["header_image", "https://cdn.example.test/image/42"],
  ["header_image", "https://cdn.example.test"],
  ["header_image", "https://cdn.example.test/banner-v1.2"],
  ["header_image", "https://cdn.example.test/resize.php5x/v1.2/picture"],
  ["header_video", "https://cdn.example.test:8443/a.mov"],
  ["header_video", "https://cdn.example.test/download?file=a.exe"],
  ["header_document", "https://cdn.example.test/año/lista.docx"],
  ["header_document", "https://cdn.example.test/a.pdf"],
  ["header_image", "https://8.8.8.8/a.jpg"],
  ["header_image", "https://[2606:4700::1111]/a.jpg"],
  ["header_image", "https://localhost.example.test/a.jpg"],
];

for (const [name, url] of TAKEN) {
  Deno.test(`checkMediaUrl() takes ${url} for ${name}`, () => {
    checkMediaUrl(name, url);
  });
}

const REFUSED: [name: MediaHeader, url: string][] = [
  ["header_image", "http://cdn.example.test/a.png"],
  ["header_image", "ftp://cdn.example.test/a.png"],
  ["header_image", "data:image/png;base64,AAAA"],
  ["header_image", "javascript:alert(1)"],
  ["header_image", "//cdn.example.test/a.png"],
  ["header_image", "cdn.example.test/a.png"],
  ["header_image", ""],
  ["header_image", "https://"],
  ["header_image", "https://cdn.example.test/a b.png"],
  ["header_image", "https://cdn.example.test/a.webp"],
  ["header_image", "https://cdn.example.test/a.mp4"],
  ["header_video", "https://cdn.example.test/a.mkv?as=.mp4"],
  ["header_video", "https://cdn.example.test/a.3gp"],
  ["header_document", "https://cdn.example.test/a.png"],
  ["header_document", "https://cdn.example.test/setup.exe"],
  ["header_document", "https://ana:hunter2@cdn.example.test/a.pdf"],
  ["header_document", "https://ana@cdn.example.test/a.pdf"],
  ["header_image", "https://127.0.0.1/a.jpg"],
  ["header_image", "https://127.1/a.jpg"],
  ["header_image", "https://2130706433/a.jpg"],
  ["header_image", "https://10.0.0.8:8443/a.jpg"],
  ["header_image", "https://192.168.1.10/a.jpg"],
  ["header_image", "https://169.254.169.254/a.jpg"],
  ["header_image", "https://0.0.0.0/a.jpg"],
  ["header_image", "https://[::1]/a.jpg"],
  ["header_image", "https://[fe80::1]/a.jpg"],
  ["header_image", "https://[::ffff:192.168.1.10]/a.jpg"],
  ["header_image", "https://localhost/a.jpg"],
  ["header_image", "https://LOCALHOST./a.jpg"],
  ["header_image", "https://cdn.localhost/a.jpg"],
];

for (const [name, url] of REFUSED) {
  Deno.test(`checkMediaUrl() refuses ${url || "nothing"} for ${name}`, () => {
    assert.throws(() => checkMediaUrl(name, url), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "validation_failed");
      assert.deepEqual(Object.keys(error.details ?? {}), ["field", "provided", "expected_format"]);
      assert.equal(error.details?.field, `components_push.${name}`);
      assert.ok(!JSON.stringify(error.details).includes("hunter2"), "the password is not echoed");
      return true;
    });
  });
}
