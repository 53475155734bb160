import { PlatformError } from "../errors/platform_error.ts";

/** What the platform tells apart by subcode when it refuses a template; the code is always 100. */
const SUBCODES = {
  "Message template limit reached": 2388019,
  "Message template name is blocked": 2388023,
  "Message template already exists": 2388024,
  "Character limit exceeded": 2388040,
  "Header format is not valid": 2388047,
  "Body format is not valid": 2388072,
  "Footer format is not valid": 2388073,
  "Too many variables for the length": 2388293,
  "Leading or trailing variables": 2388299,
  "Invalid parameter": undefined,
} as const;

/** Throws the refusal of a new template. */
export function refuseTemplate(title: keyof typeof SUBCODES, details: string): never {
  const subcode = SUBCODES[title];
  throw new PlatformError(100, details, { userTitle: title, ...(subcode === undefined ? {} : { subcode }) });
}
