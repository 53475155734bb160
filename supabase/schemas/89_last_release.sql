-- Functions that the last release calls, and today's code does not: a call that is under way while the migrations are
-- applied still needs them. The next release drops all of these.

create function outbound.due_companies(p_max int, p_max_failing int)
returns uuid[]
language sql stable security invoker set search_path = ''
as $$
  select array(
    select d.company_id from outbound.due_endpoints(p_max, p_max_failing) as d where d.endpoint_id = '00000000-0000-0000-0000-000000000000'
  )
$$;
revoke execute on function outbound.due_companies from public;

create function outbound.endpoints_to_serve(p_scheduled uuid[])
returns table (company_id uuid, is_failing boolean, free int)
language sql stable security invoker set search_path = ''
as $$
  select s.company_id, s.is_failing, s.free
  from outbound.serve_endpoints(p_scheduled, array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(p_scheduled)])) as s
  where s.endpoint_id = '00000000-0000-0000-0000-000000000000'
$$;
revoke execute on function outbound.endpoints_to_serve from public;

-- add_visitor_message, add_message and add_reply of a text alone.
create function outbound.post_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language sql security invoker set search_path = ''
as $$
  select * from outbound.add_visitor_message(p_company_id, p_conversation_id, p_text, p_client_message_id, '{}', null)
  where p_author = 'visitor'
  union all
  select * from outbound.add_message(p_company_id, p_conversation_id, p_author, p_text, p_client_message_id, '{}')
  where p_author <> 'visitor'
$$;
revoke execute on function outbound.post_message from public;

create function outbound.post_reply(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_actor text, p_request_id text
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language sql security invoker set search_path = ''
as $$
  select * from outbound.add_reply(
    p_company_id, p_conversation_id, p_text, p_client_message_id, '{}', p_actor, p_request_id)
$$;
revoke execute on function outbound.post_reply from public;

-- begin_conversation of a visitor who was not asked to accept anything.
create function outbound.open_conversation(
  p_company_id uuid, p_widget_id uuid, p_user_id uuid, p_token_hash text, p_language text, p_page_url text,
  p_page_title text
)
returns table (id uuid, cap text, quota int, used int)
language sql security invoker set search_path = ''
as $$
  select * from outbound.begin_conversation(
    p_company_id, p_widget_id, p_user_id, p_token_hash, p_language, p_page_url, p_page_title, null)
$$;
revoke execute on function outbound.open_conversation from public;

create function outbound.search_knowledge(p_company_id uuid, p_question text, p_language regconfig, p_limit int)
returns table (title text, text text, url text)
language sql stable security invoker set search_path = ''
as $$
  select f.title, f.text, f.url from outbound.find_passages(p_company_id, p_question, p_language, p_limit) as f
$$;
revoke execute on function outbound.search_knowledge from public;
