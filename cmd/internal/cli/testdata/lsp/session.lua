-- What one does who writes a scenario in Neovim. What the editor shows goes to a file, as JSON.
local simcloud, file, answers = unpack(vim.fn.split(vim.env.SIMCLOUD_LSP_SESSION, '\n'))
local found = {}

local function waitFor(what, condition)
  if not vim.wait(60000, condition, 20) then
    found.missed = what
    error('waited for ' .. what)
  end
end

local function texts()
  return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(0))
end

local function ask(method, line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  local answer = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(), 60000)
  local _, first = next(answer or {})
  return first and first.result
end

local function session()
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  local client = vim.lsp.start_client({ name = 'simcloud', cmd = { simcloud, 'lsp' }, root_dir = vim.fn.fnamemodify(file, ':h') })
  vim.lsp.buf_attach_client(0, client)
  waitFor('mistakes', function() return #vim.diagnostic.get(0) > 0 end)
  found.mistakes = texts()
  vim.api.nvim_buf_set_lines(0, 7, 8, true, { '    - expect: instances.all(vm, vm.state == "running")' })
  waitFor('no mistakes', function() return #vim.diagnostic.get(0) == 0 end)
  local list = ask('textDocument/completion', 8, #'    - expect: instances.all(vm, vm.')
  found.proposals = vim.tbl_map(function(i) return i.label end, list.items)
  found.hover = ask('textDocument/hover', 8, #'    - expect: inst').contents.value
  vim.lsp.stop_client(client)
  waitFor('the end of the server', function() return vim.lsp.get_client_by_id(client) == nil or vim.lsp.get_client_by_id(client).is_stopped() end)
end

local right, err = pcall(session)
if not right then found.error = err end
vim.fn.writefile({ vim.fn.json_encode(found) }, answers)
vim.cmd('qall!')
