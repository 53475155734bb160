/** A flag of the program's own; without `value` it takes none. */
export interface OwnFlag {
  value?: string;
  description?: string;
}

/** The flags that every command takes, and what they are. */
export const OWN_FLAGS: Record<keyof OwnOptions, OwnFlag> = {
  "base-url": { value: "URL", description: "The address of the API, ending in /functions/v1" },
  profile: {
    value: "NAME",
    description: "Use this profile alone: no address, key, token or company of the environment",
  },
  json: { description: "Print what the API responds, as JSON" },
  all: { description: "Read every page of a list; with --json, an entry per line" },
  yes: { description: "Do not ask before what cannot be undone" },
  body: { value: "FILE", description: "The body of the request; - is standard input" },
  "content-type": { value: "TYPE", description: "The media type of --body, where its name does not show it" },
  output: { value: "FILE", description: "Write what the API responds into this file" },
  help: { description: "Print this text" },
};

/** The values of these flags. */
export interface OwnOptions {
  "base-url"?: string;
  profile?: string;
  json?: boolean;
  all?: boolean;
  yes?: boolean;
  body?: string;
  "content-type"?: string;
  output?: string;
  help?: boolean;
}
