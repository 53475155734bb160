import assert from "node:assert/strict";
import { join, matchesGlob } from "node:path";
import { taskCommand } from "../../cli/service/task_command.ts";
import { withBareDatabase } from "../setup/database/database.ts";
import { skipped } from "../setup/skipped.ts";
import { withProduction } from "./production_walk.ts";
import { imageHindrance, type ServiceImage, stopContainer, withServiceImage } from "./service_image.ts";

Deno.test("the image migrates a database and sends a notification, on a read-only file tree as a user of its own", async () => {
  const hindrance = await imageHindrance();
  if (hindrance !== undefined) return skipped("the image", hindrance);
  await withServiceImage(async (image) => {
    await assertLayout(image);
    await assertMigrates(image);
    await assertServes(image);
  });
});

/** Nothing in the image is there for development. */
async function assertLayout({ app }: ServiceImage): Promise<void> {
  const npm = join(app, "deno/npm");
  const [registry] = await Array.fromAsync(Deno.readDir(npm));
  const packages = (await Array.fromAsync(Deno.readDir(join(npm, registry!.name)))).map(({ name }) => name);
  assert.ok(packages.includes("hono"));
  for (const name of ["playwright-core", "echarts", "axe-core"]) assert.ok(!packages.includes(name), name);
}

async function assertMigrates({ command }: ServiceImage): Promise<void> {
  await withBareDatabase(async ({ url }) => {
    const { code, stdout, stderr } = await command(["migrate"], { DATABASE_URL: url }).output();

    assert.equal(code, 0, new TextDecoder().decode(stderr));
    assert.match(new TextDecoder().decode(stdout), /^(applied \d{14}_\w+\.sql\n)+$/);
  });
}

async function assertServes({ command }: ServiceImage): Promise<void> {
  await withProduction(async ({ env, walk }) => {
    const child = command(["serve"], env).spawn();
    const output = Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
    try {
      await walk();
      const health = await command(["health"], env).output();
      assert.equal(health.code, 0, new TextDecoder().decode(health.stderr));
      const doctor = await command(["doctor"], env).output();
      assert.equal(doctor.code, 0, new TextDecoder().decode(doctor.stdout));
    } finally {
      await stopContainer(child);
    }
    assert.equal((await child.status).code, 0);
    assert.doesNotMatch((await output).join(""), /NotCapable|Requires|rror/);
  });
}

Deno.test("files of settings, wherever they are, stay out of the image", async () => {
  const ignored = await Deno.readTextFile(new URL("../../.dockerignore", import.meta.url));
  const patterns = ignored.split("\n").filter((line) => line !== "");

  for (
    const file of [".env", ".env.production", "supabase/functions/.env", "supabase/functions/.env.local"]
  ) {
    assert.ok(patterns.some((pattern) => matchesGlob(file, pattern)), file);
  }
});

Deno.test("the image runs each command with the flags of its task, and packages from the image alone", async () => {
  const script = await Deno.readTextFile(new URL("../../ops/image/entrypoint.sh", import.meta.url));
  const [, flags = ""] = /exec deno run (.*) "\$@"/.exec(script) ?? [];

  for (const task of ["serve", "dispatch", "migrate"] as const) {
    const [, set = ""] = new RegExp(`\\b${task}\\b.*\\)\\n  run (\\S+)`).exec(script) ?? [];
    const [, , ...taskFlags] = taskCommand(task).slice(0, -1);
    const own = set.replace(/"\$command"/, task);
    assert.deepEqual([...flags.split(" "), own].sort(), [...taskFlags, "--cached-only"].sort());
  }
});
