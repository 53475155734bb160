/** Files that take five seconds or more on a quiet machine, by the reports of a whole run: not for each change. */
export const SLOW: ReadonlySet<string> = testFiles(`
  _shared/company_events/company_feed
  cli/doctor/doctor cli/doctor/on_postgres cli/migrations/grant cli/outbound/packed_program cli/schema/write_delta cli/service/serve
  control/recipients_stream control/silent_cell
  dispatching/refusals dispatching/results_on_postgres dispatching/silence dispatching/voice_lines
  dispatching/voice_unknown_outcomes
  e2e/access/strangers e2e/access/test_keys e2e/auth/auth_limits e2e/failures e2e/notify/campaign_additions
  e2e/notify/dry_run_agreement e2e/openapi/openapi_security e2e/sending/pacing
  e2e/templates/create_template_faults e2e/templates/template_life
  manage/conversations manage/events/events manage/uploads/uploads manage/uploads/uploads_interrupted
  migrations/db_advisors migrations/db_lint migrations/db_push migrations/pg_upgrade migrations/upgrade/upgrade
  queue/calls/voice_model queue/history/history_recount queue/plans/clean_up_plans queue/plans/plans queue/senders/neighbours
  sdk/behaviours sdk/go sdk/go_examples sdk/package sdk/python sdk/readme sdk/widget_package
`);

/** Files of a whole run that take longest: they start first, and no other file waits behind them. */
export const LONG: ReadonlySet<string> = testFiles(`
  cli/schema/write_delta cli/service/serve
  clients/openapi_generator
  deploy/documented_commands
  dispatching/results_on_postgres dispatching/silence
  docs/commands
  e2e/failures
  faults/dispatchers/kill
  functions/bundle
  local/database/start
  queue/plans/clean_up_plans queue/plans/plans queue/senders/neighbours
  recipes/servers
  start/full_disk start/start
`);

function testFiles(names: string): Set<string> {
  return new Set(names.trim().split(/\s+/).map((name) => `tests/${name}_test.ts`));
}
