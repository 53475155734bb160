import { join } from "node:path";
import { DOCUMENT, install, makeClient, need, run, runWithoutWarning } from "./make_client.ts";

const PROGRAM = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";

Deno.test("oapi-codegen makes a client for Go", ({ name }) =>
  makeClient(name, async (folder) => {
    await need("go");
    await Deno.writeTextFile(join(folder, "go.mod"), "module example.com/client\n\ngo 1.24\n");
    const env = { GOBIN: folder, GOFLAGS: "-mod=mod" };
    await install(folder, ["go", "install", PROGRAM], env);
    // Without `skip-prune` it leaves out the events of the webhooks.
    const options = ["-generate", "types,client,skip-prune", "-package", "client", "-o", "client.go"];

    await runWithoutWarning(folder, [join(folder, "oapi-codegen"), ...options, DOCUMENT]);
    await install(folder, ["go", "mod", "tidy"], env);
    await run(folder, ["go", "vet", "./..."], env);
  }));
