import { loadEnv } from "../_shared/env.ts";
import { createServices } from "../_shared/services.ts";
import { createMainApp } from "./app.ts";

export default createMainApp(createServices(loadEnv()));
