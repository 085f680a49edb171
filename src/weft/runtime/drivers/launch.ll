; A launch that was seen before, in machine code: the function that Python calls as kernel[grid](…).
;
; It is a builtin of Python's (METH_FASTCALL | METH_KEYWORDS). What it compares a call with are plans,
; which `native.py` lays out: one for each form of launch that was made in full before.
;
;   for each plan       the same number of arguments, by the same names, on the current GPU?
;     for each value    the same constant; or a tensor, a number, a flag of the same kind?
;                       or a tuple of such, or one whose bytes a function of the plan gives;
;                       then its bytes go to where the kernel's argument is read from
;     the grid          a tuple of sizes, or a function of the arguments that gives one
;     cuLaunchKernelEx  without Python's lock; everything that it reads lies on this stack
;
; Where no plan fits, or anything at all is refused, `fallback` is called as this was. It is never an
; error to come here with the wrong arguments. All fields are 8 bytes.

%Plan  = type { i64, ptr, i64, i64, ptr, ptr, ptr, i64, i64, i64, ptr, i64, i64, ptr, ptr, i64, ptr, ptr, ptr, i64 }
;   0 positional arguments, the grid included      9 blocks of a cluster
;   1 names of the others, null for none          10 launch attributes, 11 how many
;   2 values                                      12 captured names, 13 of {container, name, value}
;   3 number of the GPU, 4 as an int of Python    14 the arguments by name, for a grid that asks
;   5 kernel's handle                             15 arguments of the kernel, 16 their first bytes
;   6 the program, which is returned              17 values {kind, slot, what, flag, low, high, name}
;   7 threads of a block, 8 shared bytes          18 the word each argument begins in
;                                                 19 how many first bytes there are
%Value = type { i64, i64, ptr, i64, i64, i64, ptr }
%Name  = type { ptr, ptr, ptr }
%State = type { i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
;   0 plans, 1 their addresses, 2 fallback       10, 11, 12 lists of hooks
;   3 "data_ptr", 4 "dtype", 5 "get_device"      13 int, 14 float, 15 tuple, 16 dict: the types
;   6 torch.Tensor, 7 torch.nn.Parameter         17 True, 18 False
;   8 asks the current GPU, 9 its stream         19 cuLaunchKernelEx
%Config = type { i32, i32, i32, i32, i32, i32, i32, i32, i64, ptr, i32, i32 }

declare i64 @PyList_Size(ptr)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare ptr @PyLong_AsVoidPtr(ptr)
declare i64 @PyLong_AsLong(ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare i64 @PyLong_AsUnsignedLongLong(ptr)
declare double @PyFloat_AsDouble(ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
declare ptr @PyObject_VectorcallMethod(ptr, ptr, i64, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)
declare i32 @PyBytes_AsStringAndSize(ptr, ptr, ptr)
declare ptr @PyDict_GetItem(ptr, ptr)
declare ptr @PyDict_Copy(ptr)
declare i32 @PyDict_SetItem(ptr, ptr, ptr)
declare i32 @PyCallable_Check(ptr)
declare ptr @PyErr_Occurred()
declare void @PyErr_Clear()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)

; The class of an object: the second word of it.
define internal ptr @type_of(ptr %object) alwaysinline {
  %at = getelementptr ptr, ptr %object, i64 1
  %type = load ptr, ptr %at
  ret ptr %type
}

; Call a method without arguments; null if it raised.
define internal ptr @method(ptr %object, ptr %name) {
  %room = alloca [2 x ptr]
  %first = getelementptr ptr, ptr %room, i64 1
  store ptr %object, ptr %first
  %result = call ptr @PyObject_VectorcallMethod(ptr %name, ptr %first, i64 -9223372036854775807, ptr null)
  ret ptr %result
}

; The number that a call gave, and whether it gave one; takes the reference.
define internal { i64, i1 } @number(ptr %object) {
  %none = icmp eq ptr %object, null
  br i1 %none, label %raised, label %given
given:
  %value = call i64 @PyLong_AsUnsignedLongLong(ptr %object)
  call void @Py_DecRef(ptr %object)
  %high = icmp eq i64 %value, -1
  br i1 %high, label %check, label %good
check:
  %error = call ptr @PyErr_Occurred()
  %bad = icmp ne ptr %error, null
  br i1 %bad, label %raised, label %good
raised:
  call void @PyErr_Clear()
  ret { i64, i1 } { i64 0, i1 false }
good:
  %a = insertvalue { i64, i1 } poison, i64 %value, 0
  %b = insertvalue { i64, i1 } %a, i1 true, 1
  ret { i64, i1 } %b
}

; Whether a number is on 16 bytes as the plan has it: 1 it is, 0 it is not and is no 1, 2 no matter.
define internal i1 @aligned_as(i64 %value, i64 %flag) {
  %low = and i64 %value, 15
  %is = icmp eq i64 %low, 0
  %any = icmp eq i64 %flag, 2
  %wanted = icmp eq i64 %flag, 1
  %one = icmp eq i64 %value, 1
  %is_not = xor i1 %is, true
  %no_one = xor i1 %one, true
  %unaligned = and i1 %is_not, %no_one
  %kind = select i1 %wanted, i1 %is, i1 %unaligned
  %fits = or i1 %any, %kind
  ret i1 %fits
}

; Whether a value is of the kind that a plan has at this place; if so, its bytes are in the slot.
define internal i1 @fits(ptr %state, i64 %device, ptr %entry, ptr %value, ptr %slots) {
  %overflow = alloca i32
  %asked_args = alloca [2 x ptr]
  %text = alloca ptr
  %size = alloca i64
  %kind = load i64, ptr %entry
  %slot_at = getelementptr %Value, ptr %entry, i64 0, i32 1
  %slot = load i64, ptr %slot_at
  %what_at = getelementptr %Value, ptr %entry, i64 0, i32 2
  %what = load ptr, ptr %what_at
  %flag_at = getelementptr %Value, ptr %entry, i64 0, i32 3
  %flag = load i64, ptr %flag_at
  %low_at = getelementptr %Value, ptr %entry, i64 0, i32 4
  %low = load i64, ptr %low_at
  %high_at = getelementptr %Value, ptr %entry, i64 0, i32 5
  %high = load i64, ptr %high_at
  %to = getelementptr i64, ptr %slots, i64 %slot
  %type = call ptr @type_of(ptr %value)
  %int_at = getelementptr %State, ptr %state, i64 0, i32 13
  %int = load ptr, ptr %int_at
  %is_int = icmp eq ptr %type, %int
  switch i64 %kind, label %no [ i64 0, label %constant
                                i64 1, label %tensor
                                i64 2, label %integer
                                i64 3, label %single
                                i64 4, label %double
                                i64 5, label %flagged
                                i64 6, label %asked
                                i64 7, label %tuple ]

constant:                                         ; the same object, or an int of the same value
  %same = icmp eq ptr %value, %what
  br i1 %same, label %yes, label %equal
equal:
  %is_number = icmp eq i64 %flag, 1
  %comparable = and i1 %is_number, %is_int
  br i1 %comparable, label %ranged, label %no

integer:
  br i1 %is_int, label %ranged, label %no
ranged:
  store i32 0, ptr %overflow
  %number = call i64 @PyLong_AsLongLongAndOverflow(ptr %value, ptr %overflow)
  %over = load i32, ptr %overflow
  %held = icmp eq i32 %over, 0
  %above = icmp sge i64 %number, %low
  %below = icmp sle i64 %number, %high
  %inside = and i1 %above, %below
  %good_number = and i1 %held, %inside
  br i1 %good_number, label %number_kind, label %no
number_kind:
  %constant_kind = icmp eq i64 %kind, 0
  br i1 %constant_kind, label %yes, label %number_alignment
number_alignment:
  %number_fits = call i1 @aligned_as(i64 %number, i64 %flag)
  br i1 %number_fits, label %number_store, label %no
number_store:
  store i64 %number, ptr %to
  br label %yes

single:
  %single_type_at = getelementptr %State, ptr %state, i64 0, i32 14
  %single_type = load ptr, ptr %single_type_at
  %is_single = icmp eq ptr %type, %single_type
  br i1 %is_single, label %single_store, label %no
single_store:
  %wide = call double @PyFloat_AsDouble(ptr %value)
  %narrow = fptrunc double %wide to float
  store float %narrow, ptr %to
  br label %yes

double:
  %double_type_at = getelementptr %State, ptr %state, i64 0, i32 14
  %double_type = load ptr, ptr %double_type_at
  %is_double = icmp eq ptr %type, %double_type
  br i1 %is_double, label %double_store, label %no
double_store:
  %whole = call double @PyFloat_AsDouble(ptr %value)
  store double %whole, ptr %to
  br label %yes

flagged:
  %true_at = getelementptr %State, ptr %state, i64 0, i32 17
  %true = load ptr, ptr %true_at
  %false_at = getelementptr %State, ptr %state, i64 0, i32 18
  %false = load ptr, ptr %false_at
  %is_true = icmp eq ptr %value, %true
  %is_false = icmp eq ptr %value, %false
  %is_flag = or i1 %is_true, %is_false
  br i1 %is_flag, label %flag_store, label %no
flag_store:
  %bit = zext i1 %is_true to i64
  store i64 %bit, ptr %to
  br label %yes

tensor:
  %tensor_at = getelementptr %State, ptr %state, i64 0, i32 6
  %tensor_type = load ptr, ptr %tensor_at
  %parameter_at = getelementptr %State, ptr %state, i64 0, i32 7
  %parameter_type = load ptr, ptr %parameter_at
  %is_tensor = icmp eq ptr %type, %tensor_type
  %is_parameter = icmp eq ptr %type, %parameter_type
  %is_array = or i1 %is_tensor, %is_parameter
  br i1 %is_array, label %tensor_element, label %no
tensor_element:
  %dtype_at = getelementptr %State, ptr %state, i64 0, i32 4
  %dtype_name = load ptr, ptr %dtype_at
  %dtype = call ptr @PyObject_GetAttr(ptr %value, ptr %dtype_name)
  %no_dtype = icmp eq ptr %dtype, null
  br i1 %no_dtype, label %raised, label %tensor_dtype
tensor_dtype:
  call void @Py_DecRef(ptr %dtype)
  %same_dtype = icmp eq ptr %dtype, %what
  br i1 %same_dtype, label %tensor_device, label %no
tensor_device:
  %device_at = getelementptr %State, ptr %state, i64 0, i32 5
  %device_name = load ptr, ptr %device_at
  %on = call ptr @method(ptr %value, ptr %device_name)
  %no_device = icmp eq ptr %on, null
  br i1 %no_device, label %raised, label %tensor_place
tensor_place:
  %place = call i64 @PyLong_AsLong(ptr %on)
  call void @Py_DecRef(ptr %on)
  %same_place = icmp eq i64 %place, %device
  br i1 %same_place, label %tensor_address, label %not_here
not_here:                                         ; -1 is the CPU, or no number at all
  call void @PyErr_Clear()
  br label %no
tensor_address:
  %data_at = getelementptr %State, ptr %state, i64 0, i32 3
  %data_name = load ptr, ptr %data_at
  %data = call ptr @method(ptr %value, ptr %data_name)
  %address_pair = call { i64, i1 } @number(ptr %data)
  %address = extractvalue { i64, i1 } %address_pair, 0
  %has_address = extractvalue { i64, i1 } %address_pair, 1
  br i1 %has_address, label %tensor_alignment, label %no
tensor_alignment:
  %address_low = and i64 %address, 15
  %on_16 = icmp eq i64 %address_low, 0
  %wants_16 = icmp eq i64 %flag, 1
  %address_fits = icmp eq i1 %on_16, %wants_16
  br i1 %address_fits, label %address_store, label %no
address_store:
  store i64 %address, ptr %to
  br label %yes

tuple:                                            ; of as many items, which fit in turn
  %tuple_at = getelementptr %State, ptr %state, i64 0, i32 15
  %tuple_type = load ptr, ptr %tuple_at
  %is_tuple = icmp eq ptr %type, %tuple_type
  br i1 %is_tuple, label %tuple_counted, label %no
tuple_counted:
  %items = call i64 @PyTuple_Size(ptr %value)
  %as_many = icmp eq i64 %items, %low
  br i1 %as_many, label %tuple_loop, label %no
tuple_loop:
  %t = phi i64 [ 0, %tuple_counted ], [ %t_next, %tuple_fits ]
  %t_more = icmp ult i64 %t, %low
  br i1 %t_more, label %tuple_item, label %yes
tuple_item:
  %item_entry = getelementptr %Value, ptr %what, i64 %t
  %item = call ptr @PyTuple_GetItem(ptr %value, i64 %t)
  %item_fits = call i1 @fits(ptr %state, i64 %device, ptr %item_entry, ptr %item, ptr %slots)
  br i1 %item_fits, label %tuple_fits, label %no
tuple_fits:
  %t_next = add i64 %t, 1
  br label %tuple_loop

asked:                                            ; a function gives its bytes, or None
  %asked_first = getelementptr ptr, ptr %asked_args, i64 1
  store ptr %value, ptr %asked_first
  %answer = call ptr @PyObject_Vectorcall(ptr %what, ptr %asked_first, i64 -9223372036854775807, ptr null)
  %no_answer = icmp eq ptr %answer, null
  br i1 %no_answer, label %raised, label %answered
answered:
  %are_bytes = call i32 @PyBytes_AsStringAndSize(ptr %answer, ptr %text, ptr %size)
  %text_at = load ptr, ptr %text
  %size_given = load i64, ptr %size
  %bytes_given = icmp eq i32 %are_bytes, 0
  br i1 %bytes_given, label %measured, label %not_bytes
not_bytes:
  call void @PyErr_Clear()
  br label %not_taken
measured:
  %as_long = icmp eq i64 %size_given, %low
  br i1 %as_long, label %copied, label %not_taken
copied:
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %text_at, i64 %low, i1 false)
  call void @Py_DecRef(ptr %answer)
  br label %yes
not_taken:
  call void @Py_DecRef(ptr %answer)
  br label %no

raised:
  call void @PyErr_Clear()
  br label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; Whether the names that the kernel takes from outside stand for what they stood for.
define internal i1 @unchanged(ptr %plan) {
entry:
  %count_at = getelementptr %Plan, ptr %plan, i64 0, i32 12
  %count = load i64, ptr %count_at
  %names_at = getelementptr %Plan, ptr %plan, i64 0, i32 13
  %names = load ptr, ptr %names_at
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %found ]
  %more = icmp ult i64 %n, %count
  br i1 %more, label %look, label %same
look:
  %container_at = getelementptr %Name, ptr %names, i64 %n, i32 0
  %container = load ptr, ptr %container_at
  %name_at = getelementptr %Name, ptr %names, i64 %n, i32 1
  %name = load ptr, ptr %name_at
  %value_at = getelementptr %Name, ptr %names, i64 %n, i32 2
  %value = load ptr, ptr %value_at
  %now = call ptr @PyDict_GetItem(ptr %container, ptr %name)
  %is = icmp eq ptr %now, %value
  br i1 %is, label %found, label %other
found:
  %next = add i64 %n, 1
  br label %loop
same:
  ret i1 true
other:
  ret i1 false
}

; Whether a call is of the form of a plan, and all its values fit.
define internal i1 @matches(ptr %state, ptr %plan, i64 %device, ptr %args, i64 %nargs, ptr %kwnames, ptr %slots) {
entry:
  %wanted_at = getelementptr %Plan, ptr %plan, i64 0, i32 0
  %wanted = load i64, ptr %wanted_at
  %as_many = icmp eq i64 %nargs, %wanted
  br i1 %as_many, label %place, label %no
place:
  %device_at = getelementptr %Plan, ptr %plan, i64 0, i32 3
  %plan_device = load i64, ptr %device_at
  %here = icmp eq i64 %device, %plan_device
  br i1 %here, label %names, label %no
names:
  %kwnames_at = getelementptr %Plan, ptr %plan, i64 0, i32 1
  %plan_names = load ptr, ptr %kwnames_at
  %same_names = icmp eq ptr %kwnames, %plan_names
  br i1 %same_names, label %outside, label %compare
compare:
  %no_names = icmp eq ptr %kwnames, null
  %no_plan_names = icmp eq ptr %plan_names, null
  %either = or i1 %no_names, %no_plan_names
  br i1 %either, label %no, label %compare_names
compare_names:
  %equal = call i32 @PyObject_RichCompareBool(ptr %kwnames, ptr %plan_names, i32 2)
  %are_equal = icmp eq i32 %equal, 1
  br i1 %are_equal, label %outside, label %no
outside:
  %still = call i1 @unchanged(ptr %plan)
  br i1 %still, label %values, label %no
values:
  %count_at = getelementptr %Plan, ptr %plan, i64 0, i32 2
  %count = load i64, ptr %count_at
  %entries_at = getelementptr %Plan, ptr %plan, i64 0, i32 17
  %entries = load ptr, ptr %entries_at
  br label %loop
loop:
  %n = phi i64 [ 0, %values ], [ %next, %fit ]
  %more = icmp ult i64 %n, %count
  br i1 %more, label %look, label %yes
look:
  %entry_n = getelementptr %Value, ptr %entries, i64 %n
  %arg = add i64 %n, 1
  %arg_at = getelementptr ptr, ptr %args, i64 %arg
  %value = load ptr, ptr %arg_at
  %good = call i1 @fits(ptr %state, i64 %device, ptr %entry_n, ptr %value, ptr %slots)
  br i1 %good, label %fit, label %no
fit:
  %next = add i64 %n, 1
  br label %loop
yes:
  ret i1 true
no:
  ret i1 false
}

; What a grid that is a function gives; a new reference, or null with an error set.
define internal ptr @asked(ptr %plan, ptr %args) {
entry:
  %call_args = alloca [2 x ptr]
  %base_at = getelementptr %Plan, ptr %plan, i64 0, i32 14
  %base = load ptr, ptr %base_at
  %named = call ptr @PyDict_Copy(ptr %base)
  %none = icmp eq ptr %named, null
  br i1 %none, label %failed, label %fill
fill:
  %count_at = getelementptr %Plan, ptr %plan, i64 0, i32 2
  %count = load i64, ptr %count_at
  %entries_at = getelementptr %Plan, ptr %plan, i64 0, i32 17
  %entries = load ptr, ptr %entries_at
  br label %loop
loop:
  %n = phi i64 [ 0, %fill ], [ %next, %set ]
  %more = icmp ult i64 %n, %count
  br i1 %more, label %set, label %ask
set:
  %name_at = getelementptr %Value, ptr %entries, i64 %n, i32 6
  %name = load ptr, ptr %name_at
  %next = add i64 %n, 1
  %value_at = getelementptr ptr, ptr %args, i64 %next
  %value = load ptr, ptr %value_at
  %ignored = call i32 @PyDict_SetItem(ptr %named, ptr %name, ptr %value)
  br label %loop
ask:
  %first = getelementptr ptr, ptr %call_args, i64 1
  store ptr %named, ptr %first
  %grid = load ptr, ptr %args
  %result = call ptr @PyObject_Vectorcall(ptr %grid, ptr %first, i64 -9223372036854775807, ptr null)
  call void @Py_DecRef(ptr %named)
  ret ptr %result
failed:
  ret ptr null
}

; Put the sizes of a grid into a configuration; whether it is a tuple of one to three that run.
define internal i1 @sized(ptr %state, ptr %grid, ptr %config) {
entry:
  %overflow = alloca i32
  %tuple_at = getelementptr %State, ptr %state, i64 0, i32 15
  %tuple = load ptr, ptr %tuple_at
  %int_at = getelementptr %State, ptr %state, i64 0, i32 13
  %int = load ptr, ptr %int_at
  %type = call ptr @type_of(ptr %grid)
  %is_tuple = icmp eq ptr %type, %tuple
  br i1 %is_tuple, label %count, label %no
count:
  %sizes = call i64 @PyTuple_Size(ptr %grid)
  %some = icmp uge i64 %sizes, 1
  %few = icmp ule i64 %sizes, 3
  %counted = and i1 %some, %few
  br i1 %counted, label %loop, label %no
loop:
  %n = phi i64 [ 0, %count ], [ %next, %put ]
  %last = icmp eq i64 %n, 3
  br i1 %last, label %yes, label %look
look:
  %given = icmp ult i64 %n, %sizes
  br i1 %given, label %take, label %put
take:
  %item = call ptr @PyTuple_GetItem(ptr %grid, i64 %n)
  %item_type = call ptr @type_of(ptr %item)
  %is_int = icmp eq ptr %item_type, %int
  br i1 %is_int, label %read, label %no
read:
  store i32 0, ptr %overflow
  %long = call i64 @PyLong_AsLongLongAndOverflow(ptr %item, ptr %overflow)
  %positive = icmp sgt i64 %long, 0
  %small = icmp sle i64 %long, 2147483647
  %fits = and i1 %positive, %small
  br i1 %fits, label %put, label %no
put:
  %size = phi i64 [ 1, %look ], [ %long, %read ]
  %word = trunc i64 %size to i32
  %to = getelementptr i32, ptr %config, i64 %n
  store i32 %word, ptr %to
  %next = add i64 %n, 1
  br label %loop
yes:
  ret i1 true
no:
  ret i1 false
}

define ptr @weft_launch(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {
entry:
  %slots = alloca [WORDS x i64]
  %parameters = alloca [ROOM x ptr]
  %config = alloca %Config
  %stream_args = alloca [2 x ptr]
  %key = call ptr @PyTuple_GetItem(ptr %self, i64 0)
  %state = call ptr @PyLong_AsVoidPtr(ptr %key)
  %has_grid = icmp ugt i64 %nargs, 0
  br i1 %has_grid, label %hooks, label %fallback

hooks:
  %enter_at = getelementptr %State, ptr %state, i64 0, i32 10
  %enter = load ptr, ptr %enter_at
  %exit_at = getelementptr %State, ptr %state, i64 0, i32 11
  %exit = load ptr, ptr %exit_at
  %run_at = getelementptr %State, ptr %state, i64 0, i32 12
  %run = load ptr, ptr %run_at
  %enters = call i64 @PyList_Size(ptr %enter)
  %exits = call i64 @PyList_Size(ptr %exit)
  %runs = call i64 @PyList_Size(ptr %run)
  %some = add i64 %enters, %exits
  %all = add i64 %some, %runs
  %hooked = icmp ne i64 %all, 0
  br i1 %hooked, label %fallback, label %device

device:
  %ask_at = getelementptr %State, ptr %state, i64 0, i32 8
  %ask = load ptr, ptr %ask_at
  %answer = call ptr @PyObject_Vectorcall(ptr %ask, ptr null, i64 0, ptr null)
  %no_answer = icmp eq ptr %answer, null
  br i1 %no_answer, label %device_raised, label %device_number
device_raised:
  call void @PyErr_Clear()
  br label %fallback
device_number:
  %current = call i64 @PyLong_AsLong(ptr %answer)
  call void @Py_DecRef(ptr %answer)
  br label %plans

plans:
  %count = load i64, ptr %state
  %plans_at = getelementptr %State, ptr %state, i64 0, i32 1
  %table = load ptr, ptr %plans_at
  br label %next_plan
next_plan:
  %n = phi i64 [ 0, %plans ], [ %n_next, %another ]
  %more = icmp ult i64 %n, %count
  br i1 %more, label %try, label %fallback
try:
  %plan_at = getelementptr ptr, ptr %table, i64 %n
  %plan = load ptr, ptr %plan_at
  %arguments_at = getelementptr %Plan, ptr %plan, i64 0, i32 15
  %arguments = load i64, ptr %arguments_at
  %template_at = getelementptr %Plan, ptr %plan, i64 0, i32 16
  %template = load ptr, ptr %template_at
  %bytes_at = getelementptr %Plan, ptr %plan, i64 0, i32 19
  %bytes = load i64, ptr %bytes_at
  call void @llvm.memcpy.p0.p0.i64(ptr %slots, ptr %template, i64 %bytes, i1 false)
  %match = call i1 @matches(ptr %state, ptr %plan, i64 %current, ptr %args, i64 %nargs, ptr %kwnames, ptr %slots)
  br i1 %match, label %sizes, label %another
another:
  %n_next = add i64 %n, 1
  br label %next_plan

sizes:
  %grid = load ptr, ptr %args
  %plain = call i1 @sized(ptr %state, ptr %grid, ptr %config)
  br i1 %plain, label %point, label %function
function:
  %callable = call i32 @PyCallable_Check(ptr %grid)
  %is_callable = icmp eq i32 %callable, 1
  br i1 %is_callable, label %call_grid, label %fallback
call_grid:
  %given = call ptr @asked(ptr %plan, ptr %args)
  %failed = icmp eq ptr %given, null
  br i1 %failed, label %grid_raised, label %read_grid
grid_raised:                                      ; the full launch will ask again, and say why
  call void @PyErr_Clear()
  br label %fallback
read_grid:
  %read = call i1 @sized(ptr %state, ptr %given, ptr %config)
  call void @Py_DecRef(ptr %given)
  br i1 %read, label %point, label %fallback

point:
  %words_at = getelementptr %Plan, ptr %plan, i64 0, i32 18
  %words = load ptr, ptr %words_at
  br label %point_next
point_next:
  %p = phi i64 [ 0, %point ], [ %p_next, %point_one ]
  %p_more = icmp ult i64 %p, %arguments
  br i1 %p_more, label %point_one, label %stream
point_one:
  %word_at = getelementptr i64, ptr %words, i64 %p
  %word = load i64, ptr %word_at
  %slot_at = getelementptr i64, ptr %slots, i64 %word
  %parameter_at = getelementptr ptr, ptr %parameters, i64 %p
  store ptr %slot_at, ptr %parameter_at
  %p_next = add i64 %p, 1
  br label %point_next

stream:
  %stream_first = getelementptr ptr, ptr %stream_args, i64 1
  %device_object_at = getelementptr %Plan, ptr %plan, i64 0, i32 4
  %device_object = load ptr, ptr %device_object_at
  store ptr %device_object, ptr %stream_first
  %stream_ask_at = getelementptr %State, ptr %state, i64 0, i32 9
  %stream_ask = load ptr, ptr %stream_ask_at
  %stream_answer = call ptr @PyObject_Vectorcall(ptr %stream_ask, ptr %stream_first, i64 -9223372036854775807, ptr null)
  %stream_pair = call { i64, i1 } @number(ptr %stream_answer)
  %stream_number = extractvalue { i64, i1 } %stream_pair, 0
  %has_stream = extractvalue { i64, i1 } %stream_pair, 1
  br i1 %has_stream, label %start, label %fallback

start:
  %clusters_at = getelementptr %Plan, ptr %plan, i64 0, i32 9
  %clusters = load i64, ptr %clusters_at
  %clusters_word = trunc i64 %clusters to i32
  %x = load i32, ptr %config
  %x_all = mul i32 %x, %clusters_word
  store i32 %x_all, ptr %config
  %threads_at = getelementptr %Plan, ptr %plan, i64 0, i32 7
  %threads = load i64, ptr %threads_at
  %threads_word = trunc i64 %threads to i32
  %block_x = getelementptr %Config, ptr %config, i64 0, i32 3
  store i32 %threads_word, ptr %block_x
  %block_y = getelementptr %Config, ptr %config, i64 0, i32 4
  store i32 1, ptr %block_y
  %block_z = getelementptr %Config, ptr %config, i64 0, i32 5
  store i32 1, ptr %block_z
  %shared_at = getelementptr %Plan, ptr %plan, i64 0, i32 8
  %shared = load i64, ptr %shared_at
  %shared_word = trunc i64 %shared to i32
  %config_shared = getelementptr %Config, ptr %config, i64 0, i32 6
  store i32 %shared_word, ptr %config_shared
  %config_stream = getelementptr %Config, ptr %config, i64 0, i32 8
  store i64 %stream_number, ptr %config_stream
  %attributes_at = getelementptr %Plan, ptr %plan, i64 0, i32 10
  %attributes = load ptr, ptr %attributes_at
  %config_attributes = getelementptr %Config, ptr %config, i64 0, i32 9
  store ptr %attributes, ptr %config_attributes
  %attribute_count_at = getelementptr %Plan, ptr %plan, i64 0, i32 11
  %attribute_count = load i64, ptr %attribute_count_at
  %attribute_word = trunc i64 %attribute_count to i32
  %config_count = getelementptr %Config, ptr %config, i64 0, i32 10
  store i32 %attribute_word, ptr %config_count
  %handle_at = getelementptr %Plan, ptr %plan, i64 0, i32 5
  %handle = load ptr, ptr %handle_at
  %program_at = getelementptr %Plan, ptr %plan, i64 0, i32 6
  %program = load ptr, ptr %program_at
  %launch_at = getelementptr %State, ptr %state, i64 0, i32 19
  %launch = load ptr, ptr %launch_at
  %thread = call ptr @PyEval_SaveThread()
  %code = call i32 %launch(ptr %config, ptr %handle, ptr %parameters, ptr null)
  call void @PyEval_RestoreThread(ptr %thread)
  %done = icmp eq i32 %code, 0
  br i1 %done, label %launched, label %fallback
launched:
  call void @Py_IncRef(ptr %program)
  ret ptr %program

fallback:
  %fallback_at = getelementptr %State, ptr %state, i64 0, i32 2
  %in_python = load ptr, ptr %fallback_at
  %result = call ptr @PyObject_Vectorcall(ptr %in_python, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %result
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
