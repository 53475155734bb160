import { loadEnv } from "../_shared/env.ts";
import { createServices } from "../_shared/services.ts";
import { createApp } from "./app.ts";

const app = createApp(createServices(loadEnv()));

export default { fetch: app.fetch };
