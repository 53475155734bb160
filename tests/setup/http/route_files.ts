import { basename } from "node:path";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { App, AppEnv } from "../../../supabase/functions/_shared/http/app/context.ts";
import type { Services } from "../../../supabase/functions/_shared/services.ts";
import { FUNCTIONS, routeFolders } from "./function_folders.ts";

const ROUTE_FILE = /^(get|post|put|patch|delete)_\w+\.ts$/;

type Register = (app: App, services: Services) => void;

/** A file that is named as one of a route, and the routes that it adds to an empty app. */
export interface RouteFile {
  /** Below the functions' folder: `manage/keys/get_keys.ts`. */
  file: string;
  routes: { method: string; path: string }[];
}

/** Returns the files of all functions with routes, below the functions' folder: first those of routes, then the others. */
export async function listRouteFiles(): Promise<[routes: string[], others: string[]]> {
  const files = (await Promise.all((await routeFolders()).map((name) => filesBelow(name)))).flat().sort();
  const isRoute = (file: string) => ROUTE_FILE.test(basename(file));
  return [files.filter(isRoute), files.filter((file) => !isRoute(file))];
}

async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${FUNCTIONS}/${folder}`)) {
    if (isDirectory) files.push(...await filesBelow(`${folder}/${name}`));
    else if (name.endsWith(".ts")) files.push(`${folder}/${name}`);
  }
  return files;
}

/** Registers a route's file alone and returns its routes, with parameters in braces. */
export async function readRouteFile(file: string, services: Services): Promise<RouteFile> {
  const module: Record<string, unknown> = await import(`file://${FUNCTIONS}/${file}`);
  const app: App = new OpenAPIHono<AppEnv>();
  const [, register] = Object.entries(module).find(([name]) => name.startsWith("register"))!;
  (register as Register)(app, services);
  const routes = app.routes.filter(({ method }) => method !== "ALL" && method !== "HEAD")
    .map(({ method, path }) => ({ method, path: path.replaceAll(/:(\w+)/g, "{$1}") }));
  return { file, routes };
}
