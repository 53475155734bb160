import { loadEnv } from "../_shared/env.ts";
import { createServices } from "../_shared/services.ts";
import { createFunctions } from "../main/app.ts";
import { createApp } from "./app.ts";

const services = createServices(loadEnv());
const app = createApp(services, Object.values(createFunctions(services)));

export default { fetch: app.fetch };
