-- Returns what a request is checked against before it is stored: the key, the sender that p_recipient names (by id,
-- number or the platform's id), all languages of the template in that sender's account, and the voice agent (by id or
-- the platform's id). With p_bulk an unknown name means the company's oldest sender of the channel.
create function outbound.send_context(
  p_key_hash text, p_channel text, p_recipient text, p_template text, p_agent text, p_bulk boolean
)
returns table (
  outcome text, company_id uuid, api_key_id uuid, permissions text[], api_access boolean,
  rate_limit int, remaining int, reset_s int, sender_id uuid, sender_number text, sender_locked text, templates jsonb, agent jsonb,
  -- The key of the hashes of erased people, sealed; null where nobody was erased.
  erasure_key_sealed text
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_key record;
  v_sender record;
begin
  select * into v_key from outbound.use_access_key(p_key_hash, 0);
  if v_key.outcome <> 'ok' then
    return query select v_key.outcome, null::uuid, null::uuid, null::text[], null::boolean, 0, 0, 0,
      null::uuid, null::text, null::text, null::jsonb, null::jsonb, null::text;
    return;
  end if;
  select s.id, s.waba_id, s.number, case when s.stopped_for_good then s.stopped_reason end as locked into v_sender
  from outbound.senders as s
  where s.company_id = v_key.company_id and s.channel = p_channel
    and (p_bulk or p_recipient in (s.id::text, s.number, s.provider_id))
  order by p_recipient in (s.id::text, s.number, s.provider_id) desc, s.created_at, s.id
  limit 1;
  return query select v_key.outcome, v_key.company_id, v_key.api_key_id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, v_key.remaining, v_key.reset_s, v_sender.id,
    v_sender.number, v_sender.locked,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', t.id, 'language', t.language, 'category', t.category, 'status', t.status, 'shape', t.shape,
        'parameterFormat', t.parameter_format, 'components', t.components
      )), '[]')
      from outbound.templates as t
      where t.company_id = v_key.company_id and t.waba_id = v_sender.waba_id and t.name = p_template
    ),
    (
      select jsonb_build_object('id', a.id, 'providerAgentId', a.provider_agent_id, 'status', a.status)
      from outbound.voice_agents as a
      where a.company_id = v_key.company_id and p_agent in (a.id::text, a.provider_agent_id)
      order by a.id::text = p_agent desc limit 1
    ),
    (
      select r.erasure_key_sealed from outbound.contact_rules as r
      where r.company_id = v_key.company_id and exists (
        select from outbound.erased_contacts as e where e.company_id = v_key.company_id
      )
    );
end
$$;
revoke execute on function outbound.send_context from public;
