/** The commands of the program's own: a line about each, and its help. */
export const OWN_COMMAND_HELP: Record<string, { summary: string; text: string }> = {
  login: {
    summary: "Log in as a user, or keep an access key, as a profile",
    text:
      `Usage: outbound login [--base-url URL] [--profile NAME] [--email EMAIL [--password -] | --key -] [--company-id ID]

Asks for what is missing; the password is not shown. With "-", a password or an access key is read from standard input.
The profile is kept in a file that only you can read, and is used from then on.

Example:
  outbound login --base-url https://api.example.com/functions/v1 --email ana@example.com`,
  },
  profile: {
    summary: "List the profiles, choose or remove one",
    text: `Usage: outbound profile list|use NAME|remove NAME

"use" chooses the profile that commands take without --profile and OUTBOUND_PROFILE. "remove" also ends its log-in.

Example:
  outbound profile use acme`,
  },
  "send-campaign": {
    summary: "Send a template to the contacts of a CSV file, and wait for it",
    text:
      `Usage: outbound send-campaign --file FILE.csv [--no-wait] [--idempotency-key KEY] [flags of notify send-notification]

The first line of the file names the fields of contacts: "number", and those that the template's values name. "-" is
standard input. If it breaks off, repeat it with the key that it prints: no person gets the message twice.

Example:
  outbound send-campaign --file people.csv --name-template order_update --language-template en_US \\
    --recipient-id 34911222333 --notification-type utility --campaign-name Autumn \\
    --components-push.body_text_0 '{{name}}' --components-push.body_text_1 A-1001`,
  },
  events: {
    summary: "Follow what happens in a company",
    text: `Usage: outbound events [--company-id ID] [--last-event-id ID] [--json]

Prints a line per event until you stop it. Connections that are lost are made again, and nothing is missed.

Example:
  outbound events --json`,
  },
  completion: {
    summary: "Print the completion of a shell",
    text: `Usage: outbound completion bash|zsh|fish

Example:
  source <(outbound completion bash)`,
  },
};
