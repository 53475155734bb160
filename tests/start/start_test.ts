import assert from "node:assert/strict";
import postgres from "postgres";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { readStackFile, refusedStart, type StackFile, withStart } from "./run_start.ts";

interface Campaign {
  campaign_id: string;
  total: number;
  sent: number;
  delivered: number;
}

/** Pastes lines into a shell and returns what it prints. */
async function paste(lines: string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("bash", { args: ["-c", lines.join("\n")] }).output();
  assert.equal(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}

async function statusOf(url: string): Promise<Campaign> {
  return await (await fetch(url)).json();
}

/** Asks for the campaign until the simulated phone has received its message. */
async function untilDelivered(url: string): Promise<Campaign> {
  return await eventually(async () => {
    const status = await statusOf(url);
    assert.equal(status.delivered, 1);
    return status;
  });
}

/** Has the demo agent call a person who takes the call at once. */
async function assertCallIsTaken({ base_url, sandbox_url, demo }: StackFile): Promise<void> {
  const { access_key, sender: recipient_id, agent_id } = demo!;
  const send = async (method: string, url: string, body: unknown) => {
    const headers = { "content-type": "application/json" };
    return await (await fetch(url, { method, headers, body: JSON.stringify(body) })).json();
  };
  await send("PUT", `${sandbox_url}/sandbox/voice/settings`, { ring_ms: 0, talk_ms: 0, analysis_ms: 0 });
  const called = await send("POST", `${base_url}/notify/voice?access_key=${access_key}`, {
    contact: { number: "34600111222" },
    ...{ recipient_id, agent_id, notification_type: "transactional", campaign_name: "First call" },
  });
  const query = `access_key=${access_key}&campaign_id=${called.inquiry_set_id}`;
  await untilDelivered(`${base_url}/notify/status?${query}`);
}

/** Has a visitor enter a session with the demo agent by each kind of connection. */
async function assertVoiceSessions({ base_url, demo }: StackFile): Promise<void> {
  const { publishable_key, voice_widget_id } = demo!;
  const query = `access_key=${publishable_key}&id_widget=${voice_widget_id}`;
  for (const [connection, credential] of [["websocket", "signed_url"], ["webrtc", "conversation_token"]]) {
    const response = await fetch(`${base_url}/voice-widget/signed-url?${query}&connection=${connection}`);
    const session = await response.json();
    assert.equal(typeof session[credential!], "string", JSON.stringify(session));
  }
}

Deno.test("start prints curl lines that work as pasted, and describes the stack in a private file", () =>
  withTempFolder((folder) =>
    withStart({ OUTBOUND_HOME: `${folder}/home` }, async ({ stack, banner }) => {
      const commands = banner.split("\n").filter((line) => /^(curl|RESPONSE=)/.test(line));

      const [session, queued, campaign] = (await paste(commands)).trim().split("\n").map((line) =>
        JSON.parse(line)
      );

      assert.equal(commands.length, 3);
      assert.equal(session.user.email, stack.demo!.email);
      assert.deepEqual([queued.success, campaign.campaign_id], [true, queued.inquiry_set_id]);
      const query = `access_key=${stack.demo!.access_key}&campaign_id=${campaign.campaign_id}`;
      const done = await untilDelivered(`${stack.base_url}/notify/status?${query}`);
      assert.deepEqual([done.total, done.sent], [1, 1]);
      await assertCallIsTaken(stack);
      await assertVoiceSessions(stack);
      for (const file of ["", "/stack.json", "/secrets.json"]) {
        const mode = (await Deno.stat(`${folder}/home${file}`)).mode! & 0o077;
        assert.equal(mode, 0, `others may read home${file}`);
      }
      assert.ok(banner.includes(stack.base_url) && banner.includes(`${stack.sandbox_url}/`));
      const health = await (await fetch(`${stack.base_url}/health`)).json();
      assert.equal(health.status, "ok");
    })
  ));

/** Returns the text of secrets and keys of a home. */
async function secretsOf(home: string, { demo }: StackFile): Promise<string[]> {
  const secrets = JSON.parse(await Deno.readTextFile(`${home}/secrets.json`));
  return [...Object.values<string>(secrets), demo!.access_key, demo!.publishable_key];
}

for (const args of [[], ["--verbose"]]) {
  const where = args.length > 0 ? "on the screen as well" : "in a file of the home, which the banner names";
  Deno.test(`start logs requests ${where}, without a key, and keeps the log of the start before`, () =>
    withTempFolder(async (folder) => {
      const home = `${folder}/home`;
      const isRequest = /"message":"request".*"route":"\/notify\/status"/;
      await withStart({ OUTBOUND_HOME: home }, async ({ stack, banner, screen, stop }) => {
        const commands = banner.split("\n").filter((line) => /^(curl|RESPONSE=)/.test(line));
        await paste(commands);
        const log = `${home}/service.log`;
        await eventually(async () => assert.match(await Deno.readTextFile(log), isRequest));
        await stop();

        assert.ok(banner.includes(log));
        assert.equal(isRequest.test(screen()), args.includes("--verbose"));
        assert.equal(screen() === banner, args.length === 0, screen());
        const written = await Deno.readTextFile(log) + screen().slice(banner.length);
        assert.deepEqual((await secretsOf(home, stack)).filter((secret) => written.includes(secret)), []);
      }, args);

      await withStart({ OUTBOUND_HOME: home }, async () => {
        assert.match(await Deno.readTextFile(`${home}/service.previous.log`), isRequest);
      });
    }));
}

Deno.test("start refuses a home in use, exits 0 on SIGTERM and on SIGINT, and keeps its data, also if a later version has migrated it", () =>
  withTempFolder(async (folder) => {
    const home = `${folder}/home`;
    let before: Awaited<ReturnType<typeof readStackFile>> | undefined;
    await withStart({ OUTBOUND_HOME: home }, async ({ stack, stop }) => {
      before = stack;

      const second = await refusedStart({ OUTBOUND_HOME: home, PORT: "0" });

      assert.deepEqual(second, {
        code: 1,
        stdout: "",
        stderr: `OUTBOUND_HOME ${home} is in use: "deno task start" is running on it already\n`,
      });
      const sql = postgres(stack.database_url, { max: 1 });
      await sql`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`;
      await sql.end();
      assert.equal(await stop("SIGTERM"), 0);
      await assert.rejects(readStackFile(home), Deno.errors.NotFound);
    });

    await withStart({ OUTBOUND_HOME: home }, async ({ stack, stop }) => {
      assert.deepEqual(stack.demo, before!.demo);
      assert.equal(await stop("SIGINT"), 0);
    });
  }));

Deno.test("start refuses a home that a pre-release version made, and says what to do", () =>
  withTempFolder(async (folder) => {
    const home = `${folder}/home`;
    await withStart({ OUTBOUND_HOME: home }, async ({ stack }) => {
      const sql = postgres(stack.database_url, { max: 1 });
      await sql`insert into supabase_migrations.schema_migrations (version) values ('20261121000100')`;
      await sql.end();
    });

    const { code, stderr } = await refusedStart({ OUTBOUND_HOME: home, PORT: "0" });

    assert.equal(code, 1);
    assert.equal(
      stderr,
      `OUTBOUND_HOME ${home} was made by a pre-release version, whose data cannot be taken over: remove it, or set ` +
        "OUTBOUND_HOME to another folder\n",
    );
  }));

Deno.test("start starts again after SIGKILL and has every request that got a 200", () =>
  withTempFolder(async (folder) => {
    const home = `${folder}/home`;
    let campaign = "";
    await withStart({ OUTBOUND_HOME: home }, async ({ banner, stop }) => {
      const commands = banner.split("\n").filter((line) => /^RESPONSE=/.test(line));
      campaign = JSON.parse(await paste(commands)).inquiry_set_id;
      await stop("SIGKILL");
    });

    await withStart({ OUTBOUND_HOME: home }, async ({ stack }) => {
      const query = `access_key=${stack.demo!.access_key}&campaign_id=${campaign}`;
      const done = await untilDelivered(`${stack.base_url}/notify/status?${query}`);
      assert.equal(done.total, 1);
    });
  }));

Deno.test("start refuses a port that is taken, and names it", () =>
  withTempFolder(async (folder) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const taken = (listener.addr as Deno.NetAddr).port;

    const refused = await refusedStart({ OUTBOUND_HOME: `${folder}/home`, PORT: String(taken) });

    assert.deepEqual(refused, {
      code: 1,
      stdout: "",
      stderr: `Port ${taken} (api) is in use: set PORT to move all parts, or 0 for free ones\n`,
    });
    listener.close();
  }));

Deno.test("start refuses a file in place of the home", () =>
  withTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/home`, "");

    const { code, stderr } = await refusedStart({ OUTBOUND_HOME: `${folder}/home`, PORT: "0" });

    assert.equal(code, 1);
    assert.equal(stderr, `OUTBOUND_HOME ${folder}/home cannot be used: a file is in the way\n`);
  }));

Deno.test("start refuses a folder in place of a file of its home, and names it", () =>
  withTempFolder(async (home) => {
    await Deno.writeTextFile(`${home}/start.lock`, "");
    await Deno.writeTextFile(`${home}/service.log`, "");
    await Deno.mkdir(`${home}/service.previous.log`);

    const { code, stderr } = await refusedStart({ OUTBOUND_HOME: home, PORT: "0" });

    assert.equal(code, 1);
    assert.match(
      stderr,
      /^OUTBOUND_HOME .* cannot be used: move away what is in the way: .*service\.previous\.log/,
    );
    assert.equal(stderr.split("\n").length, 2, stderr);
  }));

Deno.test("start refuses a home it may not make", () =>
  withTempFolder(async (folder) => {
    if (Deno.uid() === 0) {
      return skipped("deno task start in a folder without permission", "root may write anywhere");
    }
    await Deno.chmod(folder, 0o500);

    const { code, stderr } = await refusedStart({ OUTBOUND_HOME: `${folder}/home`, PORT: "0" });

    await Deno.chmod(folder, 0o700);
    assert.equal(code, 1);
    assert.equal(stderr, `OUTBOUND_HOME ${folder}/home cannot be used: permission denied\n`);
  }));

Deno.test("start leaves a folder of other things alone", () =>
  withTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/letter.txt`, "Dear all");
    await Deno.chmod(folder, 0o755);

    const { code, stderr } = await refusedStart({ OUTBOUND_HOME: folder, PORT: "0" });

    assert.equal(code, 1);
    assert.match(stderr, /^OUTBOUND_HOME .* holds other things: .*\n$/);
    assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o755);
  }));

for (
  const [name, env, line] of [
    [
      "DATABASE_URL without OUTBOUND_SECRETS_KEY",
      { DATABASE_URL: "postgres://u:p@127.0.0.1:1/x" },
      /^OUTBOUND_SECRETS_KEY is not set: /,
    ],
    [
      "SUPABASE_URL without its key",
      { SUPABASE_URL: "http://127.0.0.1:1" },
      /^SUPABASE_PUBLISHABLE_KEY is not set/,
    ],
    ["a PORT that is none", { PORT: "http" }, /^PORT must be a number from 0 to 65535$/],
    [
      "a database that does not answer",
      { DATABASE_URL: "postgres://u:p@127.0.0.1:1/x", OUTBOUND_SECRETS_KEY: "x".repeat(32) },
      /^The database at 127\.0\.0\.1:1 cannot be reached: nothing listens there$/,
    ],
    [
      "a DATABASE_URL that is none, without showing it",
      { DATABASE_URL: "postgres://u:p@host:port/x", OUTBOUND_SECRETS_KEY: "x".repeat(32) },
      /^Missing or malformed settings: DATABASE_URL \([^():@]+\)$/,
    ],
    [
      "a malformed setting",
      { OUTBOUND_LOG_LEVEL: "loud" },
      /^Missing or malformed settings: OUTBOUND_LOG_LEVEL \(Invalid option: expected one of .*\)$/,
    ],
  ] as const
) {
  Deno.test(`start refuses ${name} in one line`, () =>
    withTempFolder(async (folder) => {
      const { code, stderr } = await refusedStart({ OUTBOUND_HOME: `${folder}/home`, PORT: "0", ...env });

      assert.equal(code, 1);
      assert.match(stderr.trimEnd(), line);
    }));
}
