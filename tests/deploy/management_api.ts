import { withHttpServer } from "../_shared/gateways/local_server.ts";

/** A function as `supabase functions deploy` uploads it. */
export interface DeployedFunction {
  slug: string;
  verifyJwt: boolean;
  entrypoint: string;
  importMap: string;
  /** The uploaded files, by their paths relative to the folder above `supabase/`. */
  files: Map<string, string>;
}

/** A stand-in for Supabase's management API with one project, as far as the documented commands use it. */
export interface ManagementApi {
  url: string;
  /** `METHOD /path` of the requests that it does not know. */
  unknown: string[];
  /** The names of the secrets that were set. */
  secrets: string[];
  functions: DeployedFunction[];
}

/** The project's reference and the only token that may change it. */
export const PROJECT_REF = "abcdefghijklmnopqrst";
export const ACCESS_TOKEN = `sbp_${"0123456789".repeat(4)}`;

const PROJECT = {
  id: PROJECT_REF,
  ref: PROJECT_REF,
  organization_id: "org",
  organization_slug: "org",
  name: "outbound",
  region: "eu-central-1",
  created_at: "2026-11-01T00:00:00Z",
  status: "ACTIVE_HEALTHY",
  database: {
    host: `db.${PROJECT_REF}.supabase.test`,
    version: "15.8.1.100",
    postgres_engine: "15",
    release_channel: "ga",
  },
};

/** Runs `use` with a management API on a free port. */
export async function withManagementApi(use: (api: ManagementApi) => Promise<void>): Promise<void> {
  const api: ManagementApi = { url: "", unknown: [], secrets: [], functions: [] };
  await withHttpServer((request) => respond(api, request), async (url) => {
    api.url = url;
    await use(api);
  });
}

async function respond(api: ManagementApi, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (request.headers.get("authorization") !== `Bearer ${ACCESS_TOKEN}`) {
    return Response.json({ message: "Unauthorized" }, { status: 401 });
  }
  const known = `${request.method} ${pathname.replace(`/v1/projects/${PROJECT_REF}`, "")}`;
  switch (known) {
    case "GET ":
      return Response.json(PROJECT);
    case "GET /api-keys":
      return Response.json([{ name: "anon", api_key: "anon-key", type: "legacy" }]);
    case "POST /cli/login-role":
      return Response.json({ role: "postgres", password: "short-lived", ttl_seconds: 300 }, { status: 201 });
    case "POST /secrets":
      api.secrets.push(...(await request.json() as { name: string }[]).map(({ name }) => name));
      return new Response(null, { status: 201 });
    case "GET /functions":
      return Response.json([]);
    case "POST /functions/deploy":
      api.functions.push(await readDeployed(searchParams.get("slug") ?? "", request));
      return Response.json(asStored(searchParams.get("slug") ?? ""), { status: 201 });
    case "PUT /functions":
      return Response.json({
        functions: (await request.json() as { slug: string }[]).map(({ slug }) => asStored(slug)),
      });
    default:
      api.unknown.push(known);
      return Response.json({ message: "not simulated" }, { status: 404 });
  }
}

async function readDeployed(slug: string, request: Request): Promise<DeployedFunction> {
  const form = await request.formData();
  const metadata = JSON.parse(String(form.get("metadata")));
  const files = form.getAll("file").map(async (file) =>
    [(file as File).name, await (file as File).text()] as const
  );
  return {
    slug,
    verifyJwt: metadata.verify_jwt,
    entrypoint: metadata.entrypoint_path,
    importMap: metadata.import_map_path,
    files: new Map(await Promise.all(files)),
  };
}

function asStored(slug: string) {
  const at = 1_790_000_000_000;
  return { id: slug, slug, name: slug, status: "ACTIVE", version: 1, created_at: at, updated_at: at };
}
