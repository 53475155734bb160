import assert from "node:assert/strict";
import { AppError } from "../../../supabase/functions/_shared/errors.ts";
import { checkMediaUrl } from "../../../supabase/functions/_shared/campaigns/check_value.ts";

type Kind = Parameters<typeof checkMediaUrl>[1];

const TAKEN: [kind: Kind, url: string][] = [
  ["image", "https://cdn.example.test/a.JPG"],
  ["image", "https://cdn.example.test/a.jpeg?size=2#x"],
  ["image", "https://cdn.example.test/a.gif"],
  ["image", "https://cdn.example.test/image/42"],
  ["image", "https://cdn.example.test"],
  ["image", "https://cdn.example.test/banner-v1.2"],
  ["image", "https://cdn.example.test/resize.php5x/v1.2/picture"],
  ["video", "https://cdn.example.test:8443/a.mov"],
  ["video", "https://cdn.example.test/download?file=a.exe"],
  ["document", "https://cdn.example.test/año/lista.docx"],
  ["document", "https://cdn.example.test/a.pdf"],
  ["image", "https://8.8.8.8/a.jpg"],
  ["image", "https://[2606:4700::1111]/a.jpg"],
  ["image", "https://localhost.example.test/a.jpg"],
];

for (const [kind, url] of TAKEN) {
  Deno.test(`checkMediaUrl() takes ${url} for ${kind}`, () => {
    checkMediaUrl("components_push.header_image", kind, url);
  });
}

const REFUSED: [kind: Kind, url: string][] = [
  ["image", "http://cdn.example.test/a.png"],
  ["image", "ftp://cdn.example.test/a.png"],
  ["image", "data:image/png;base64,AAAA"],
  ["image", "javascript:alert(1)"],
  ["image", "//cdn.example.test/a.png"],
  ["image", "cdn.example.test/a.png"],
  ["image", ""],
  ["image", "https://"],
  ["image", "https://cdn.example.test/a b.png"],
  ["image", "https://cdn.example.test/a.webp"],
  ["image", "https://cdn.example.test/a.mp4"],
  ["video", "https://cdn.example.test/a.mkv?as=.mp4"],
  ["video", "https://cdn.example.test/a.3gp"],
  ["document", "https://cdn.example.test/a.png"],
  ["document", "https://cdn.example.test/setup.exe"],
  ["document", "https://ana:hunter2@cdn.example.test/a.pdf"],
  ["document", "https://ana@cdn.example.test/a.pdf"],
  ["image", "https://127.0.0.1/a.jpg"],
  ["image", "https://127.1/a.jpg"],
  ["image", "https://2130706433/a.jpg"],
  ["image", "https://10.0.0.8:8443/a.jpg"],
  ["image", "https://192.168.1.10/a.jpg"],
  ["image", "https://169.254.169.254/a.jpg"],
  ["image", "https://0.0.0.0/a.jpg"],
  ["image", "https://[::1]/a.jpg"],
  ["image", "https://[fe80::1]/a.jpg"],
  ["image", "https://[::ffff:192.168.1.10]/a.jpg"],
  ["image", "https://localhost/a.jpg"],
  ["image", "https://LOCALHOST./a.jpg"],
  ["image", "https://cdn.localhost/a.jpg"],
];

for (const [kind, url] of REFUSED) {
  Deno.test(`checkMediaUrl() refuses ${url || "nothing"} for ${kind}`, () => {
    assert.throws(() => checkMediaUrl("components_push.header_image", kind, url), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "validation_failed");
      assert.deepEqual(Object.keys(error.details ?? {}), ["field", "provided", "expected_format"]);
      assert.equal(error.details?.field, "components_push.header_image");
      assert.ok(!JSON.stringify(error.details).includes("hunter2"), "the password is not echoed");
      return true;
    });
  });
}
