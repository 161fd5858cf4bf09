	.file	"binding_convolution.cpp"
	.text
	.section	.text._ZN5torch6stable6detail22StableTorchLibraryInitD2Ev,"axG",@progbits,_ZN5torch6stable6detail22StableTorchLibraryInitD5Ev,comdat
	.align 2
	.p2align 4
	.weak	_ZN5torch6stable6detail22StableTorchLibraryInitD2Ev
	.hidden	_ZN5torch6stable6detail22StableTorchLibraryInitD2Ev
	.type	_ZN5torch6stable6detail22StableTorchLibraryInitD2Ev, @function
_ZN5torch6stable6detail22StableTorchLibraryInitD2Ev:
.LFB7195:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA7195
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	movq	(%rdi), %rdi
	call	aoti_torch_delete_library_object@PLT
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE7195:
	.globl	__gxx_personality_v0
	.section	.gcc_except_table._ZN5torch6stable6detail22StableTorchLibraryInitD2Ev,"aG",@progbits,_ZN5torch6stable6detail22StableTorchLibraryInitD5Ev,comdat
.LLSDA7195:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE7195-.LLSDACSB7195
.LLSDACSB7195:
.LLSDACSE7195:
	.section	.text._ZN5torch6stable6detail22StableTorchLibraryInitD2Ev,"axG",@progbits,_ZN5torch6stable6detail22StableTorchLibraryInitD5Ev,comdat
	.size	_ZN5torch6stable6detail22StableTorchLibraryInitD2Ev, .-_ZN5torch6stable6detail22StableTorchLibraryInitD2Ev
	.weak	_ZN5torch6stable6detail22StableTorchLibraryInitD1Ev
	.hidden	_ZN5torch6stable6detail22StableTorchLibraryInitD1Ev
	.set	_ZN5torch6stable6detail22StableTorchLibraryInitD1Ev,_ZN5torch6stable6detail22StableTorchLibraryInitD2Ev
	.text
	.align 2
	.p2align 4
	.type	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tag.isra.0, @function
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tag.isra.0:
.LFB7239:
	.cfi_startproc
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	subq	%rsi, %rdx
	movq	%rsi, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	movq	%rdi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
	movq	%rdx, %rbx
	subq	$16, %rsp
	.cfi_def_cfa_offset 48
	movq	%rdx, 8(%rsp)
	cmpq	$15, %rdx
	ja	.L13
	movq	(%rdi), %rdi
	cmpq	$1, %rdx
	jne	.L7
	movzbl	(%rsi), %eax
	movb	%al, (%rdi)
	movq	8(%rsp), %rbx
	movq	0(%rbp), %rdi
.L8:
	movq	%rbx, 8(%rbp)
	movb	$0, (%rdi,%rbx)
	addq	$16, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 32
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%r12
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L7:
	.cfi_restore_state
	testq	%rdx, %rdx
	je	.L8
	jmp	.L6
	.p2align 4,,10
	.p2align 3
.L13:
	leaq	8(%rsp), %rsi
	xorl	%edx, %edx
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm@PLT
	movq	%rax, 0(%rbp)
	movq	%rax, %rdi
	movq	8(%rsp), %rax
	movq	%rax, 16(%rbp)
.L6:
	movq	%rbx, %rdx
	movq	%r12, %rsi
	call	memcpy@PLT
	movq	8(%rsp), %rbx
	movq	0(%rbp), %rdi
	jmp	.L8
	.cfi_endproc
.LFE7239:
	.size	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tag.isra.0, .-_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tag.isra.0
	.section	.rodata._ZN10torchpaged9type_nameB5cxx11Ei.str1.1,"aMS",@progbits,1
.LC0:
	.string	"float32"
.LC1:
	.string	"float16"
.LC2:
	.string	"bfloat16"
.LC3:
	.string	"float8_e4m3fn"
.LC4:
	.string	"float8_e5m2"
.LC5:
	.string	"int8"
.LC6:
	.string	"int32"
.LC7:
	.string	"int64"
.LC8:
	.string	"bool"
.LC9:
	.string	"float64"
.LC10:
	.string	"uint8"
.LC11:
	.string	"int16"
	.section	.rodata._ZN10torchpaged9type_nameB5cxx11Ei.str1.8,"aMS",@progbits,1
	.align 8
.LC12:
	.string	"basic_string: construction from null is not valid"
	.section	.rodata._ZN10torchpaged9type_nameB5cxx11Ei.str1.1
.LC13:
	.string	"number "
	.section	.text._ZN10torchpaged9type_nameB5cxx11Ei,"axG",@progbits,_ZN10torchpaged9type_nameB5cxx11Ei,comdat
	.p2align 4
	.weak	_ZN10torchpaged9type_nameB5cxx11Ei
	.hidden	_ZN10torchpaged9type_nameB5cxx11Ei
	.type	_ZN10torchpaged9type_nameB5cxx11Ei, @function
_ZN10torchpaged9type_nameB5cxx11Ei:
.LFB5767:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA5767
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	movq	%rdi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	movl	%esi, %ebx
	subq	$248, %rsp
	.cfi_def_cfa_offset 304
	movzbl	_ZGVZN10torchpaged11torch_typesEvE5types(%rip), %eax
	testb	%al, %al
	je	.L69
.L16:
	movl	_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 48(%rsp)
	leaq	.LC0(%rip), %rax
	movq	%rax, 56(%rsp)
	movl	4+_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 64(%rsp)
	leaq	.LC1(%rip), %rax
	movq	%rax, 72(%rsp)
	movl	8+_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 80(%rsp)
	leaq	.LC2(%rip), %rax
	movq	%rax, 88(%rsp)
	movl	12+_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 96(%rsp)
	leaq	.LC3(%rip), %rax
	movq	%rax, 104(%rsp)
	movl	16+_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 112(%rsp)
	leaq	.LC4(%rip), %rax
	movq	%rax, 120(%rsp)
	movl	20+_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 128(%rsp)
	leaq	.LC5(%rip), %rax
	movq	%rax, 136(%rsp)
	movl	24+_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 144(%rsp)
	leaq	.LC6(%rip), %rax
	movq	%rax, 152(%rsp)
	movl	28+_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 160(%rsp)
	leaq	.LC7(%rip), %rax
	movq	%rax, 168(%rsp)
	movl	32+_ZZN10torchpaged11torch_typesEvE5types(%rip), %eax
	movl	%eax, 176(%rsp)
	leaq	.LC8(%rip), %rax
	movq	%rax, 184(%rsp)
.LEHB0:
	call	aoti_torch_dtype_float64@PLT
	movl	%eax, 192(%rsp)
	leaq	.LC9(%rip), %rax
	movq	%rax, 200(%rsp)
	call	aoti_torch_dtype_uint8@PLT
	movl	%eax, 208(%rsp)
	leaq	.LC10(%rip), %rax
	movq	%rax, 216(%rsp)
	call	aoti_torch_dtype_int16@PLT
.LEHE0:
	leaq	240(%rsp), %rdx
	movl	%eax, 224(%rsp)
	leaq	.LC11(%rip), %rax
	movq	%rax, 232(%rsp)
	leaq	48(%rsp), %rax
	.p2align 4,,10
	.p2align 3
.L18:
	cmpl	%ebx, (%rax)
	je	.L70
	addq	$16, %rax
	cmpq	%rdx, %rax
	jne	.L18
	movl	%ebx, %eax
	movl	%ebx, %r14d
	shrl	$31, %eax
	negl	%r14d
	cmovs	%ebx, %r14d
	cmpl	$9, %r14d
	jbe	.L29
	cmpl	$99, %r14d
	jbe	.L30
	cmpl	$999, %r14d
	jbe	.L51
	movl	%r14d, %ebx
	cmpl	$9999, %r14d
	jbe	.L71
	movl	$5, %edx
	cmpq	$99999, %rbx
	jbe	.L38
	cmpq	$999999, %rbx
	jbe	.L72
	movl	$6, %r15d
	movl	$7, %edx
	cmpq	$9999999, %rbx
	jbe	.L37
	cmpq	$99999999, %rbx
	jbe	.L53
	cmpq	$999999999, %rbx
	jbe	.L54
	movl	$9, %r15d
.L39:
	leaq	32(%rsp), %r13
	leaq	16(%rsp), %r12
	movq	%r13, 16(%rsp)
	leal	1(%r15,%rax), %esi
.L68:
	movl	$45, %edx
	movq	%r12, %rdi
	movl	%eax, 12(%rsp)
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
	movl	12(%rsp), %eax
	movq	_ZZNSt8__detail18__to_chars_10_implIjEEvPcjT_E8__digits@GOTPCREL(%rip), %rcx
	movzbl	%al, %edx
	addq	16(%rsp), %rdx
	jmp	.L42
	.p2align 4,,10
	.p2align 3
.L73:
	movl	%ebx, %ebx
.L42:
	imulq	$1374389535, %rbx, %rbx
	movl	%r14d, %eax
	movl	%r15d, %edi
	shrq	$37, %rbx
	imull	$100, %ebx, %esi
	subl	%esi, %eax
	movl	%r14d, %esi
	movl	%ebx, %r14d
	addl	%eax, %eax
	leal	1(%rax), %r8d
	movzbl	(%rcx,%rax), %eax
	movzbl	(%rcx,%r8), %r8d
	movb	%r8b, (%rdx,%rdi)
	leal	-1(%r15), %edi
	subl	$2, %r15d
	movb	%al, (%rdx,%rdi)
	cmpl	$9999, %esi
	ja	.L73
	cmpl	$999, %esi
	jbe	.L41
.L50:
	addl	%r14d, %r14d
	leal	1(%r14), %eax
	movzbl	(%rcx,%r14), %r14d
	movzbl	(%rcx,%rax), %eax
	movb	%al, 1(%rdx)
.L43:
	movb	%r14b, (%rdx)
	movl	$7, %r8d
	xorl	%edx, %edx
	xorl	%esi, %esi
	leaq	.LC13(%rip), %rcx
	movq	%r12, %rdi
.LEHB1:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
.LEHE1:
	leaq	16(%rbp), %rdi
	leaq	16(%rax), %r12
	movq	%rax, %rbx
	movq	%rdi, 0(%rbp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%r12, %rdx
	je	.L74
	movq	%rdx, 0(%rbp)
	movq	16(%rbx), %rdx
	movq	%rdx, 16(%rbp)
.L46:
	movq	%rax, 8(%rbp)
	movq	%r12, (%rbx)
	movb	$0, 16(%rbx)
	movq	16(%rsp), %rdi
	movq	$0, 8(%rbx)
	cmpq	%r13, %rdi
	je	.L14
	movq	32(%rsp), %rax
	leaq	1(%rax), %rsi
	call	_ZdlPvm@PLT
.L14:
	addq	$248, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 56
	movq	%rbp, %rax
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%rbp
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	ret
.L29:
	.cfi_restore_state
	leaq	16(%rsp), %r12
	leal	1(%rax), %esi
	movl	$45, %edx
	movl	%eax, 12(%rsp)
	leaq	32(%rsp), %r13
	movq	%r12, %rdi
	movq	%r13, 16(%rsp)
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
	movl	12(%rsp), %eax
	movzbl	%al, %edx
	addq	16(%rsp), %rdx
	.p2align 4,,10
	.p2align 3
.L41:
	addl	$48, %r14d
	jmp	.L43
	.p2align 4,,10
	.p2align 3
.L54:
	movl	$9, %edx
.L38:
	leal	-1(%rdx), %r15d
.L37:
	leaq	32(%rsp), %r13
	leaq	16(%rsp), %r12
	movq	%r13, 16(%rsp)
	leal	(%rdx,%rax), %esi
	jmp	.L68
	.p2align 4,,10
	.p2align 3
.L70:
	movq	8(%rax), %r13
	leaq	16(%rbp), %r12
	movq	%r12, 0(%rbp)
	testq	%r13, %r13
	je	.L75
	movq	%r13, %rdi
	call	strlen@PLT
	movq	%rax, 16(%rsp)
	movq	%rax, %rbx
	cmpq	$15, %rax
	ja	.L76
	cmpq	$1, %rax
	jne	.L24
	movzbl	0(%r13), %edx
	movb	%dl, 16(%rbp)
.L25:
	movq	%rax, 8(%rbp)
	movb	$0, (%r12,%rax)
	jmp	.L14
	.p2align 4,,10
	.p2align 3
.L69:
	leaq	_ZGVZN10torchpaged11torch_typesEvE5types(%rip), %r12
	movq	%r12, %rdi
	call	__cxa_guard_acquire@PLT
	testl	%eax, %eax
	je	.L16
.LEHB2:
	call	aoti_torch_dtype_float32@PLT
	movl	%eax, _ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_float16@PLT
	movl	%eax, 4+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_bfloat16@PLT
	movl	%eax, 8+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_float8_e4m3fn@PLT
	movl	%eax, 12+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_float8_e5m2@PLT
	movl	%eax, 16+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_int8@PLT
	movl	%eax, 20+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_int32@PLT
	movl	%eax, 24+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_int64@PLT
	movl	%eax, 28+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_bool@PLT
	movl	%eax, 32+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_device_type_cpu@PLT
.LEHE2:
	movq	%r12, %rdi
	movl	%eax, 36+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	__cxa_guard_release@PLT
	jmp	.L16
	.p2align 4,,10
	.p2align 3
.L24:
	testq	%rax, %rax
	je	.L25
	jmp	.L23
	.p2align 4,,10
	.p2align 3
.L74:
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L46
	movq	%r12, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rax
	jmp	.L46
	.p2align 4,,10
	.p2align 3
.L76:
	leaq	16(%rsp), %rsi
	xorl	%edx, %edx
	movq	%rbp, %rdi
.LEHB3:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm@PLT
.LEHE3:
	movq	%rax, 0(%rbp)
	movq	%rax, %r12
	movq	16(%rsp), %rax
	movq	%rax, 16(%rbp)
.L23:
	movq	%r12, %rdi
	movq	%rbx, %rdx
	movq	%r13, %rsi
	call	memcpy@PLT
	movq	16(%rsp), %rax
	movq	0(%rbp), %r12
	jmp	.L25
	.p2align 4,,10
	.p2align 3
.L53:
	movl	$7, %r15d
	movl	$8, %edx
	jmp	.L37
.L30:
	leaq	16(%rsp), %r12
	leal	2(%rax), %esi
	movl	$45, %edx
	movl	%eax, 12(%rsp)
	leaq	32(%rsp), %r13
	movq	%r12, %rdi
	movq	%r13, 16(%rsp)
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
	movl	12(%rsp), %eax
	movq	_ZZNSt8__detail18__to_chars_10_implIjEEvPcjT_E8__digits@GOTPCREL(%rip), %rcx
	movzbl	%al, %edx
	addq	16(%rsp), %rdx
	jmp	.L50
.L51:
	movl	$2, %r15d
	movl	$3, %edx
	movl	%r14d, %ebx
	jmp	.L37
.L71:
	movl	$3, %r15d
	movl	$4, %edx
	jmp	.L37
.L72:
	movl	$5, %r15d
	jmp	.L39
.L75:
	leaq	.LC12(%rip), %rdi
.LEHB4:
	call	_ZSt19__throw_logic_errorPKc@PLT
.L56:
	movq	%rax, %rbx
	jmp	.L19
.L55:
	movq	%rax, %rbx
	jmp	.L49
.L19:
	movq	%r12, %rdi
	call	__cxa_guard_abort@PLT
	movq	%rbx, %rdi
	call	_Unwind_Resume@PLT
.L49:
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%rbx, %rdi
	call	_Unwind_Resume@PLT
.LEHE4:
	.cfi_endproc
.LFE5767:
	.section	.gcc_except_table._ZN10torchpaged9type_nameB5cxx11Ei,"aG",@progbits,_ZN10torchpaged9type_nameB5cxx11Ei,comdat
.LLSDA5767:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE5767-.LLSDACSB5767
.LLSDACSB5767:
	.uleb128 .LEHB0-.LFB5767
	.uleb128 .LEHE0-.LEHB0
	.uleb128 0
	.uleb128 0
	.uleb128 .LEHB1-.LFB5767
	.uleb128 .LEHE1-.LEHB1
	.uleb128 .L55-.LFB5767
	.uleb128 0
	.uleb128 .LEHB2-.LFB5767
	.uleb128 .LEHE2-.LEHB2
	.uleb128 .L56-.LFB5767
	.uleb128 0
	.uleb128 .LEHB3-.LFB5767
	.uleb128 .LEHE3-.LEHB3
	.uleb128 0
	.uleb128 0
	.uleb128 .LEHB4-.LFB5767
	.uleb128 .LEHE4-.LEHB4
	.uleb128 0
	.uleb128 0
.LLSDACSE5767:
	.section	.text._ZN10torchpaged9type_nameB5cxx11Ei,"axG",@progbits,_ZN10torchpaged9type_nameB5cxx11Ei,comdat
	.size	_ZN10torchpaged9type_nameB5cxx11Ei, .-_ZN10torchpaged9type_nameB5cxx11Ei
	.section	.text._ZN10torchpaged9ArgumentsD2Ev,"axG",@progbits,_ZN10torchpaged9ArgumentsD5Ev,comdat
	.align 2
	.p2align 4
	.weak	_ZN10torchpaged9ArgumentsD2Ev
	.hidden	_ZN10torchpaged9ArgumentsD2Ev
	.type	_ZN10torchpaged9ArgumentsD2Ev, @function
_ZN10torchpaged9ArgumentsD2Ev:
.LFB5827:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA5827
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	movq	%rdi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
	movl	20(%rdi), %eax
	xorl	%ebx, %ebx
	testl	%eax, %eax
	jle	.L81
	.p2align 4,,10
	.p2align 3
.L78:
	movq	24(%rbp,%rbx,8), %rdi
	addq	$1, %rbx
	call	aoti_torch_delete_tensor_object@PLT
	cmpl	%ebx, 20(%rbp)
	jg	.L78
.L81:
	movq	152(%rbp), %rdi
	movq	160(%rbp), %r12
	movq	%rdi, %rbx
	cmpq	%rdi, %r12
	je	.L80
	.p2align 4,,10
	.p2align 3
.L82:
	movq	(%rbx), %rdi
	addq	$8, %rbx
	call	aoti_torch_delete_tensor_object@PLT
	cmpq	%rbx, %r12
	jne	.L82
	movq	152(%rbp), %rdi
.L80:
	testq	%rdi, %rdi
	je	.L77
	movq	168(%rbp), %rsi
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%r12
	.cfi_def_cfa_offset 8
	subq	%rdi, %rsi
	jmp	_ZdlPvm@PLT
	.p2align 4,,10
	.p2align 3
.L77:
	.cfi_restore_state
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE5827:
	.section	.gcc_except_table._ZN10torchpaged9ArgumentsD2Ev,"aG",@progbits,_ZN10torchpaged9ArgumentsD5Ev,comdat
.LLSDA5827:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE5827-.LLSDACSB5827
.LLSDACSB5827:
.LLSDACSE5827:
	.section	.text._ZN10torchpaged9ArgumentsD2Ev,"axG",@progbits,_ZN10torchpaged9ArgumentsD5Ev,comdat
	.size	_ZN10torchpaged9ArgumentsD2Ev, .-_ZN10torchpaged9ArgumentsD2Ev
	.weak	_ZN10torchpaged9ArgumentsD1Ev
	.hidden	_ZN10torchpaged9ArgumentsD1Ev
	.set	_ZN10torchpaged9ArgumentsD1Ev,_ZN10torchpaged9ArgumentsD2Ev
	.section	.text._ZNSt8__detail18__to_chars_10_implImEEvPcjT_,"axG",@progbits,_ZNSt8__detail18__to_chars_10_implImEEvPcjT_,comdat
	.p2align 4
	.weak	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_
	.type	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_, @function
_ZNSt8__detail18__to_chars_10_implImEEvPcjT_:
.LFB6010:
	.cfi_startproc
	movq	%rdi, %r8
	movq	%rdx, %rcx
	subl	$1, %esi
	cmpq	$99, %rdx
	jbe	.L92
	movq	_ZZNSt8__detail18__to_chars_10_implImEEvPcjT_E8__digits@GOTPCREL(%rip), %r9
	movabsq	$2951479051793528259, %r10
	.p2align 4,,10
	.p2align 3
.L93:
	movq	%rcx, %rdx
	shrq	$2, %rdx
	movq	%rdx, %rax
	mulq	%r10
	movq	%rdx, %rdi
	andq	$-4, %rdx
	shrq	$2, %rdi
	addq	%rdi, %rdx
	leaq	(%rdx,%rdx,4), %rax
	movq	%rcx, %rdx
	salq	$2, %rax
	subq	%rax, %rdx
	movq	%rcx, %rax
	movq	%rdi, %rcx
	movl	%esi, %edi
	movzbl	1(%r9,%rdx,2), %r11d
	movzbl	(%r9,%rdx,2), %edx
	movb	%r11b, (%r8,%rdi)
	leal	-1(%rsi), %edi
	subl	$2, %esi
	movb	%dl, (%r8,%rdi)
	cmpq	$9999, %rax
	ja	.L93
.L92:
	leal	48(%rcx), %eax
	cmpq	$9, %rcx
	jbe	.L95
	movq	_ZZNSt8__detail18__to_chars_10_implImEEvPcjT_E8__digits@GOTPCREL(%rip), %rax
	movzbl	1(%rax,%rcx,2), %edx
	movzbl	(%rax,%rcx,2), %eax
	movb	%dl, 1(%r8)
.L95:
	movb	%al, (%r8)
	ret
	.cfi_endproc
.LFE6010:
	.size	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_, .-_ZNSt8__detail18__to_chars_10_implImEEvPcjT_
	.section	.text._ZNSt7__cxx119to_stringEl,"axG",@progbits,_ZNSt7__cxx119to_stringEl,comdat
	.p2align 4
	.weak	_ZNSt7__cxx119to_stringEl
	.type	_ZNSt7__cxx119to_stringEl, @function
_ZNSt7__cxx119to_stringEl:
.LFB1186:
	.cfi_startproc
	pushq	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset 13, -16
	movq	%rsi, %r13
	pushq	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset 12, -24
	shrq	$63, %r13
	movq	%rdi, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset 6, -32
	movq	%rsi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 40
	.cfi_offset 3, -40
	subq	$8, %rsp
	.cfi_def_cfa_offset 48
	negq	%rbp
	cmovs	%rsi, %rbp
	cmpq	$9, %rbp
	jbe	.L107
	cmpq	$99, %rbp
	jbe	.L108
	cmpq	$999, %rbp
	jbe	.L109
	cmpq	$9999, %rbp
	jbe	.L110
	movq	%rbp, %rdx
	movl	$1, %ebx
	movabsq	$3777893186295716171, %rsi
	jmp	.L103
	.p2align 4,,10
	.p2align 3
.L106:
	cmpq	$999999, %rcx
	jbe	.L113
	cmpq	$9999999, %rcx
	jbe	.L114
	cmpq	$99999999, %rcx
	jbe	.L115
.L103:
	movq	%rdx, %rax
	movq	%rdx, %rcx
	mulq	%rsi
	movl	%ebx, %eax
	addl	$4, %ebx
	shrq	$11, %rdx
	cmpq	$99999, %rcx
	ja	.L106
.L99:
	leaq	16(%r12), %rax
	leal	(%rbx,%r13), %esi
	movq	%r12, %rdi
	movl	$45, %edx
	movq	%rax, (%r12)
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
	movq	(%r12), %rdi
	movq	%rbp, %rdx
	movl	%ebx, %esi
	addq	%r13, %rdi
	call	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_@PLT
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 40
	movq	%r12, %rax
	popq	%rbx
	.cfi_def_cfa_offset 32
	popq	%rbp
	.cfi_def_cfa_offset 24
	popq	%r12
	.cfi_def_cfa_offset 16
	popq	%r13
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L113:
	.cfi_restore_state
	leal	5(%rax), %ebx
	jmp	.L99
	.p2align 4,,10
	.p2align 3
.L114:
	leal	6(%rax), %ebx
	jmp	.L99
	.p2align 4,,10
	.p2align 3
.L115:
	leal	7(%rax), %ebx
	jmp	.L99
.L107:
	movl	$1, %ebx
	jmp	.L99
.L108:
	movl	$2, %ebx
	jmp	.L99
.L110:
	movl	$4, %ebx
	jmp	.L99
.L109:
	movl	$3, %ebx
	jmp	.L99
	.cfi_endproc
.LFE1186:
	.size	_ZNSt7__cxx119to_stringEl, .-_ZNSt7__cxx119to_stringEl
	.section	.rodata._ZNK10torchpaged6Tensor5shapeB5cxx11Ev.str1.1,"aMS",@progbits,1
.LC14:
	.string	", "
.LC15:
	.string	""
.LC16:
	.string	",)"
.LC17:
	.string	")"
.LC18:
	.string	"("
.LC19:
	.string	"basic_string::append"
	.section	.text._ZNK10torchpaged6Tensor5shapeB5cxx11Ev,"axG",@progbits,_ZNK10torchpaged6Tensor5shapeB5cxx11Ev,comdat
	.align 2
	.p2align 4
	.weak	_ZNK10torchpaged6Tensor5shapeB5cxx11Ev
	.hidden	_ZNK10torchpaged6Tensor5shapeB5cxx11Ev
	.type	_ZNK10torchpaged6Tensor5shapeB5cxx11Ev, @function
_ZNK10torchpaged6Tensor5shapeB5cxx11Ev:
.LFB5798:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA5798
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	leaq	1+.LC18(%rip), %rdx
	movq	%rsi, %r15
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	leaq	-1(%rdx), %rsi
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	xorl	%r13d, %r13d
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	movabsq	$3777893186295716171, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	subq	$152, %rsp
	.cfi_def_cfa_offset 208
	leaq	64(%rsp), %rax
	movq	%rdi, 32(%rsp)
	leaq	48(%rsp), %rdi
	movq	%rax, 40(%rsp)
	movq	%rax, 48(%rsp)
	movq	%rdi, 24(%rsp)
.LEHB5:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tag.isra.0
.LEHE5:
	leaq	80(%rsp), %rax
	cmpq	$0, 64(%r15)
	movq	%rax, 8(%rsp)
	leaq	96(%rsp), %rax
	movq	%rax, 16(%rsp)
	jle	.L136
	.p2align 4,,10
	.p2align 3
.L117:
	movq	48(%r15), %rax
	movq	(%rax,%r13,8), %rax
	movq	%rax, %r14
	movq	%rax, %rbp
	shrq	$63, %r14
	negq	%rbp
	cmovs	%rax, %rbp
	cmpq	$9, %rbp
	jbe	.L150
	cmpq	$99, %rbp
	jbe	.L151
	cmpq	$999, %rbp
	jbe	.L152
	cmpq	$9999, %rbp
	jbe	.L153
	movq	%rbp, %rdx
	movl	$1, %ebx
	jmp	.L124
	.p2align 4,,10
	.p2align 3
.L127:
	cmpq	$999999, %rcx
	jbe	.L168
	cmpq	$9999999, %rcx
	jbe	.L169
	cmpq	$99999999, %rcx
	jbe	.L170
.L124:
	movq	%rdx, %rax
	movq	%rdx, %rcx
	mulq	%r12
	movl	%ebx, %eax
	addl	$4, %ebx
	shrq	$11, %rdx
	cmpq	$99999, %rcx
	ja	.L127
.L120:
	movq	16(%rsp), %rax
	movq	8(%rsp), %rdi
	leal	(%rbx,%r14), %esi
	movl	$45, %edx
	movq	%rax, 80(%rsp)
.LEHB6:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
.LEHE6:
	addq	80(%rsp), %r14
	movq	%rbp, %rdx
	movl	%ebx, %esi
	movq	%r14, %rdi
	call	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_@PLT
	movq	%r13, %rax
	movq	8(%rsp), %rdi
	leaq	.LC15(%rip), %rcx
	negq	%rax
	leaq	.LC14(%rip), %rax
	sbbq	%r8, %r8
	testq	%r13, %r13
	cmovne	%rax, %rcx
	andl	$2, %r8d
	xorl	%edx, %edx
	xorl	%esi, %esi
.LEHB7:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
.LEHE7:
	leaq	128(%rsp), %rbx
	leaq	16(%rax), %r14
	movq	%rax, %rbp
	movq	%rbx, 112(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%r14, %rdx
	je	.L171
	movq	%rdx, 112(%rsp)
	movq	16(%rbp), %rdx
	movq	%rdx, 128(%rsp)
.L131:
	movq	%rax, 120(%rsp)
	movabsq	$4611686018427387903, %rax
	movq	$0, 8(%rbp)
	subq	56(%rsp), %rax
	movb	$0, 16(%rbp)
	movq	120(%rsp), %rdx
	movq	%r14, 0(%rbp)
	movq	112(%rsp), %rsi
	cmpq	%rdx, %rax
	jb	.L172
	movq	24(%rsp), %rdi
.LEHB8:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE8:
	movq	112(%rsp), %rdi
	cmpq	%rbx, %rdi
	je	.L134
	movq	128(%rsp), %rax
	leaq	1(%rax), %rsi
	call	_ZdlPvm@PLT
.L134:
	movq	80(%rsp), %rdi
	movq	16(%rsp), %rax
	cmpq	%rax, %rdi
	je	.L135
	movq	96(%rsp), %rax
	leaq	1(%rax), %rsi
	call	_ZdlPvm@PLT
.L135:
	movq	64(%r15), %rax
	addq	$1, %r13
	cmpq	%r13, %rax
	jg	.L117
	cmpq	$1, %rax
	je	.L173
.L136:
	leaq	.LC17(%rip), %rbp
.L118:
	movq	32(%rsp), %rax
	movq	56(%rsp), %rbx
	movq	48(%rsp), %r12
	leaq	16(%rax), %rdi
	movq	%rbx, 112(%rsp)
	movq	%rdi, (%rax)
	cmpq	$15, %rbx
	ja	.L174
	cmpq	$1, %rbx
	jne	.L139
	movzbl	(%r12), %eax
	movq	32(%rsp), %rsi
	movb	%al, 16(%rsi)
.L140:
	movq	32(%rsp), %r15
	movq	%rbx, 8(%r15)
	movb	$0, (%rdi,%rbx)
	movq	%rbp, %rdi
	call	strlen@PLT
	movq	%rax, %rdx
	movabsq	$4611686018427387903, %rax
	subq	8(%r15), %rax
	cmpq	%rdx, %rax
	jb	.L175
	movq	32(%rsp), %rdi
	movq	%rbp, %rsi
.LEHB9:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE9:
	movq	48(%rsp), %rdi
	movq	40(%rsp), %rax
	cmpq	%rax, %rdi
	je	.L116
	movq	64(%rsp), %rax
	leaq	1(%rax), %rsi
	call	_ZdlPvm@PLT
.L116:
	movq	32(%rsp), %rax
	addq	$152, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%rbp
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L171:
	.cfi_restore_state
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L131
	movq	%r14, %rsi
	movq	%rbx, %rdi
	call	memcpy@PLT
	movq	8(%rbp), %rax
	jmp	.L131
	.p2align 4,,10
	.p2align 3
.L168:
	leal	5(%rax), %ebx
	jmp	.L120
	.p2align 4,,10
	.p2align 3
.L169:
	leal	6(%rax), %ebx
	jmp	.L120
	.p2align 4,,10
	.p2align 3
.L170:
	leal	7(%rax), %ebx
	jmp	.L120
.L139:
	testq	%rbx, %rbx
	je	.L140
	jmp	.L138
	.p2align 4,,10
	.p2align 3
.L173:
	leaq	.LC16(%rip), %rbp
	jmp	.L118
.L174:
	leaq	112(%rsp), %rsi
	xorl	%edx, %edx
	movq	%rax, %rdi
	movq	%rax, %r15
.LEHB10:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm@PLT
.LEHE10:
	movq	%rax, (%r15)
	movq	%rax, %rdi
	movq	112(%rsp), %rax
	movq	%rax, 16(%r15)
.L138:
	movq	%rbx, %rdx
	movq	%r12, %rsi
	call	memcpy@PLT
	movq	32(%rsp), %rax
	movq	112(%rsp), %rbx
	movq	(%rax), %rdi
	jmp	.L140
.L150:
	movl	$1, %ebx
	jmp	.L120
.L151:
	movl	$2, %ebx
	jmp	.L120
.L152:
	movl	$3, %ebx
	jmp	.L120
.L153:
	movl	$4, %ebx
	jmp	.L120
.L175:
	leaq	.LC19(%rip), %rdi
.LEHB11:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE11:
.L172:
	leaq	.LC19(%rip), %rdi
.LEHB12:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE12:
.L155:
	movq	%rax, %rbx
	jmp	.L148
.L157:
	movq	%rax, %rbx
	jmp	.L145
.L147:
	leaq	112(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L148:
	movq	8(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L145:
	movq	24(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%rbx, %rdi
.LEHB13:
	call	_Unwind_Resume@PLT
.LEHE13:
.L156:
	movq	%rax, %rbx
	jmp	.L147
.L158:
	movq	%rax, %rbx
.L144:
	movq	32(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L145
	.cfi_endproc
.LFE5798:
	.section	.gcc_except_table._ZNK10torchpaged6Tensor5shapeB5cxx11Ev,"aG",@progbits,_ZNK10torchpaged6Tensor5shapeB5cxx11Ev,comdat
.LLSDA5798:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE5798-.LLSDACSB5798
.LLSDACSB5798:
	.uleb128 .LEHB5-.LFB5798
	.uleb128 .LEHE5-.LEHB5
	.uleb128 0
	.uleb128 0
	.uleb128 .LEHB6-.LFB5798
	.uleb128 .LEHE6-.LEHB6
	.uleb128 .L157-.LFB5798
	.uleb128 0
	.uleb128 .LEHB7-.LFB5798
	.uleb128 .LEHE7-.LEHB7
	.uleb128 .L155-.LFB5798
	.uleb128 0
	.uleb128 .LEHB8-.LFB5798
	.uleb128 .LEHE8-.LEHB8
	.uleb128 .L156-.LFB5798
	.uleb128 0
	.uleb128 .LEHB9-.LFB5798
	.uleb128 .LEHE9-.LEHB9
	.uleb128 .L158-.LFB5798
	.uleb128 0
	.uleb128 .LEHB10-.LFB5798
	.uleb128 .LEHE10-.LEHB10
	.uleb128 .L157-.LFB5798
	.uleb128 0
	.uleb128 .LEHB11-.LFB5798
	.uleb128 .LEHE11-.LEHB11
	.uleb128 .L158-.LFB5798
	.uleb128 0
	.uleb128 .LEHB12-.LFB5798
	.uleb128 .LEHE12-.LEHB12
	.uleb128 .L156-.LFB5798
	.uleb128 0
	.uleb128 .LEHB13-.LFB5798
	.uleb128 .LEHE13-.LEHB13
	.uleb128 0
	.uleb128 0
.LLSDACSE5798:
	.section	.text._ZNK10torchpaged6Tensor5shapeB5cxx11Ev,"axG",@progbits,_ZNK10torchpaged6Tensor5shapeB5cxx11Ev,comdat
	.size	_ZNK10torchpaged6Tensor5shapeB5cxx11Ev, .-_ZNK10torchpaged6Tensor5shapeB5cxx11Ev
	.section	.text._ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_OS8_,"axG",@progbits,_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_OS8_,comdat
	.p2align 4
	.weak	_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_OS8_
	.type	_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_OS8_, @function
_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_OS8_:
.LFB6147:
	.cfi_startproc
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	movq	%rdx, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	movq	%rdi, %rbp
	movq	%rsi, %rdi
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
	movq	%rsi, %rbx
	call	strlen@PLT
	movq	%r12, %rdi
	movq	%rbx, %rcx
	xorl	%edx, %edx
	movq	%rax, %r8
	xorl	%esi, %esi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
	leaq	16(%rbp), %rdi
	movq	%rax, %rbx
	movq	%rdi, 0(%rbp)
	movq	(%rax), %rax
	leaq	16(%rbx), %r12
	cmpq	%r12, %rax
	je	.L182
	movq	%rax, 0(%rbp)
	movq	16(%rbx), %rax
	movq	%rax, 16(%rbp)
	movq	8(%rbx), %rax
.L178:
	movq	%rax, 8(%rbp)
	movq	%rbp, %rax
	movq	%r12, (%rbx)
	movq	$0, 8(%rbx)
	movb	$0, 16(%rbx)
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%r12
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L182:
	.cfi_restore_state
	movq	8(%rbx), %rdx
	movq	$-1, %rax
	addq	$1, %rdx
	je	.L178
	movq	%r12, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rax
	jmp	.L178
	.cfi_endproc
.LFE6147:
	.size	_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_OS8_, .-_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_OS8_
	.section	.rodata.str1.8,"aMS",@progbits,1
	.align 8
.LC20:
	.string	"torch_library_impl(lib_, name, fn, ( ((0ULL + 2) << 56) | ((0ULL + 13) << 48) | ((0ULL + 0) << 40) | ((0ULL + 0) << 0)))"
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC21:
	.string	" API call failed at "
	.section	.rodata.str1.8
	.align 8
.LC22:
	.string	"/work/main/.venv/lib/python3.11/site-packages/torch/include/torch/csrc/stable/library.h"
	.section	.rodata.str1.1
.LC23:
	.string	", line "
	.section	.text.unlikely,"ax",@progbits
.LCOLDB24:
	.text
.LHOTB24:
	.p2align 4
	.type	_ZN5torch10headeronly6detailL15throw_exceptionEPKcS3_l.constprop.0, @function
_ZN5torch10headeronly6detailL15throw_exceptionEPKcS3_l.constprop.0:
.LFB7245:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA7245
	pushq	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset 13, -16
	pushq	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset 12, -24
	pushq	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset 6, -32
	pushq	%rbx
	.cfi_def_cfa_offset 40
	.cfi_offset 3, -40
	subq	$440, %rsp
	.cfi_def_cfa_offset 480
	leaq	32(%rsp), %rbx
	movq	%rbx, %rdi
.LEHB14:
	call	_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev@PLT
.LEHE14:
	leaq	48(%rsp), %rdi
	leaq	.LC20(%rip), %rsi
.LEHB15:
	call	_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc@PLT
	movq	%rax, %rdi
	leaq	.LC21(%rip), %rsi
	call	_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc@PLT
	movq	%rax, %rdi
	leaq	.LC22(%rip), %rsi
	call	_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc@PLT
	movq	%rax, %rdi
	leaq	.LC23(%rip), %rsi
	call	_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc@PLT
	movq	%rax, %rdi
	movl	$89, %esi
	call	_ZNSo9_M_insertIlEERSoT_@PLT
.LEHE15:
	jmp	.L192
.L190:
	jmp	.L191
	.section	.gcc_except_table,"a",@progbits
.LLSDA7245:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE7245-.LLSDACSB7245
.LLSDACSB7245:
	.uleb128 .LEHB14-.LFB7245
	.uleb128 .LEHE14-.LEHB14
	.uleb128 0
	.uleb128 0
	.uleb128 .LEHB15-.LFB7245
	.uleb128 .LEHE15-.LEHB15
	.uleb128 .L190-.LFB7245
	.uleb128 0
.LLSDACSE7245:
	.text
	.cfi_endproc
	.section	.text.unlikely
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDAC7245
	.type	_ZN5torch10headeronly6detailL15throw_exceptionEPKcS3_l.constprop.0.cold, @function
_ZN5torch10headeronly6detailL15throw_exceptionEPKcS3_l.constprop.0.cold:
.LFSB7245:
.L192:
	.cfi_def_cfa_offset 480
	.cfi_offset 3, -40
	.cfi_offset 6, -32
	.cfi_offset 12, -24
	.cfi_offset 13, -16
	movl	$16, %edi
	movq	%rsp, %r13
	call	__cxa_allocate_exception@PLT
	leaq	56(%rsp), %rsi
	movq	%r13, %rdi
	movq	%rax, %r12
.LEHB16:
	call	_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv@PLT
.LEHE16:
	movq	%r13, %rsi
	movq	%r12, %rdi
.LEHB17:
	call	_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE@PLT
.LEHE17:
	movq	%r13, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	_ZNSt13runtime_errorD1Ev@GOTPCREL(%rip), %rdx
	movq	_ZTISt13runtime_error@GOTPCREL(%rip), %rsi
	movq	%r12, %rdi
.LEHB18:
	call	__cxa_throw@PLT
.LEHE18:
.L187:
.L191:
	movq	%rax, %rbp
.L186:
	movq	%rbx, %rdi
	call	_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEED1Ev@PLT
	movq	%rbp, %rdi
.LEHB19:
	call	_Unwind_Resume@PLT
.LEHE19:
.L189:
	movq	%r13, %rdi
	movq	%rax, %rbp
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L185:
	movq	%r12, %rdi
	call	__cxa_free_exception@PLT
	jmp	.L186
.L188:
	movq	%rax, %rbp
	jmp	.L185
	.cfi_endproc
.LFE7245:
	.section	.gcc_except_table
.LLSDAC7245:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSEC7245-.LLSDACSBC7245
.LLSDACSBC7245:
	.uleb128 .LEHB16-.LCOLDB24
	.uleb128 .LEHE16-.LEHB16
	.uleb128 .L188-.LCOLDB24
	.uleb128 0
	.uleb128 .LEHB17-.LCOLDB24
	.uleb128 .LEHE17-.LEHB17
	.uleb128 .L189-.LCOLDB24
	.uleb128 0
	.uleb128 .LEHB18-.LCOLDB24
	.uleb128 .LEHE18-.LEHB18
	.uleb128 .L187-.LCOLDB24
	.uleb128 0
	.uleb128 .LEHB19-.LCOLDB24
	.uleb128 .LEHE19-.LEHB19
	.uleb128 0
	.uleb128 0
.LLSDACSEC7245:
	.section	.text.unlikely
	.text
	.size	_ZN5torch10headeronly6detailL15throw_exceptionEPKcS3_l.constprop.0, .-_ZN5torch10headeronly6detailL15throw_exceptionEPKcS3_l.constprop.0
	.section	.text.unlikely
	.size	_ZN5torch10headeronly6detailL15throw_exceptionEPKcS3_l.constprop.0.cold, .-_ZN5torch10headeronly6detailL15throw_exceptionEPKcS3_l.constprop.0.cold
.LCOLDE24:
	.text
.LHOTE24:
	.section	.text._ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2IS3_EEPKcRKS3_,"axG",@progbits,_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC5IS3_EEPKcRKS3_,comdat
	.align 2
	.p2align 4
	.weak	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2IS3_EEPKcRKS3_
	.type	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2IS3_EEPKcRKS3_, @function
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2IS3_EEPKcRKS3_:
.LFB6304:
	.cfi_startproc
	pushq	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset 13, -16
	leaq	16(%rdi), %r13
	pushq	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset 12, -24
	pushq	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset 6, -32
	pushq	%rbx
	.cfi_def_cfa_offset 40
	.cfi_offset 3, -40
	subq	$24, %rsp
	.cfi_def_cfa_offset 64
	movq	%r13, (%rdi)
	testq	%rsi, %rsi
	je	.L204
	movq	%rdi, %rbx
	movq	%rsi, %rdi
	movq	%rsi, %r12
	call	strlen@PLT
	movq	%rax, 8(%rsp)
	movq	%rax, %rbp
	cmpq	$15, %rax
	ja	.L205
	cmpq	$1, %rax
	jne	.L198
	movzbl	(%r12), %edx
	movb	%dl, 16(%rbx)
.L199:
	movq	%rax, 8(%rbx)
	movb	$0, 0(%r13,%rax)
	addq	$24, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 40
	popq	%rbx
	.cfi_def_cfa_offset 32
	popq	%rbp
	.cfi_def_cfa_offset 24
	popq	%r12
	.cfi_def_cfa_offset 16
	popq	%r13
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L198:
	.cfi_restore_state
	testq	%rax, %rax
	je	.L199
	jmp	.L197
	.p2align 4,,10
	.p2align 3
.L205:
	leaq	8(%rsp), %rsi
	xorl	%edx, %edx
	movq	%rbx, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm@PLT
	movq	%rax, (%rbx)
	movq	%rax, %r13
	movq	8(%rsp), %rax
	movq	%rax, 16(%rbx)
.L197:
	movq	%r13, %rdi
	movq	%rbp, %rdx
	movq	%r12, %rsi
	call	memcpy@PLT
	movq	8(%rsp), %rax
	movq	(%rbx), %r13
	jmp	.L199
.L204:
	leaq	.LC12(%rip), %rdi
	call	_ZSt19__throw_logic_errorPKc@PLT
	.cfi_endproc
.LFE6304:
	.size	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2IS3_EEPKcRKS3_, .-_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2IS3_EEPKcRKS3_
	.weak	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_
	.set	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_,_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2IS3_EEPKcRKS3_
	.section	.rodata._ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_.str1.1,"aMS",@progbits,1
.LC25:
	.string	": "
.LC26:
	.string	" "
.LC27:
	.string	", expected "
	.section	.text.unlikely._ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_,"axG",@progbits,_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_,comdat
	.weak	_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_
	.hidden	_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_
	.type	_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_, @function
_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_:
.LFB5762:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA5762
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	movq	%rcx, %r15
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	movq	%rdx, %r13
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	movq	%rsi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	movq	%rdi, %rbx
	movl	$16, %edi
	subq	$280, %rsp
	.cfi_def_cfa_offset 336
	call	__cxa_allocate_exception@PLT
	leaq	47(%rsp), %rdx
	movq	%rbx, %rsi
	movq	%rax, 16(%rsp)
	leaq	48(%rsp), %rax
	movq	%rax, %rdi
	movq	%rax, 8(%rsp)
.LEHB20:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_@PLT
.LEHE20:
	movq	8(%rsp), %rdi
	leaq	.LC25(%rip), %rsi
.LEHB21:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE21:
	leaq	80(%rsp), %rbx
	movq	%rax, %rsi
	movq	%rbx, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	8(%rbp), %rdx
	movq	0(%rbp), %rsi
	movq	%rbx, %rdi
.LEHB22:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKcm@PLT
.LEHE22:
	leaq	112(%rsp), %rbp
	movq	%rax, %rsi
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	leaq	.LC26(%rip), %rsi
	movq	%rbp, %rdi
.LEHB23:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE23:
	leaq	144(%rsp), %r12
	movq	%rax, %rsi
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	8(%r13), %rdx
	movq	0(%r13), %rsi
	movq	%r12, %rdi
.LEHB24:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKcm@PLT
.LEHE24:
	leaq	176(%rsp), %r13
	movq	%rax, %rsi
	movq	%r13, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	leaq	.LC27(%rip), %rsi
	movq	%r13, %rdi
.LEHB25:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE25:
	leaq	208(%rsp), %r14
	movq	%rax, %rsi
	movq	%r14, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	8(%r15), %rdx
	movq	(%r15), %rsi
	movq	%r14, %rdi
.LEHB26:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKcm@PLT
.LEHE26:
	leaq	240(%rsp), %r15
	movq	%rax, %rsi
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	16(%rsp), %rdi
	movq	%r15, %rsi
.LEHB27:
	call	_ZNSt16invalid_argumentC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE@PLT
.LEHE27:
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r14, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r13, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%rbx, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	8(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	_ZNSt16invalid_argumentD1Ev@GOTPCREL(%rip), %rdx
	movq	16(%rsp), %rdi
	movq	_ZTISt16invalid_argument@GOTPCREL(%rip), %rsi
.LEHB28:
	call	__cxa_throw@PLT
.L222:
	movq	%rax, 24(%rsp)
.L207:
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	24(%rsp), %r15
	jmp	.L208
.L221:
	movq	%rax, %r15
.L208:
	movq	%r14, %rdi
	movq	%r15, %r14
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L209
.L220:
	movq	%rax, %r14
.L209:
	movq	%r13, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L210
.L219:
	movq	%rax, %r14
.L210:
	movq	%r12, %rdi
	movq	%r14, %r12
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L211
.L218:
	movq	%rax, %r12
.L211:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L212
.L217:
	movq	%rax, %r12
.L212:
	movq	%rbx, %rdi
	movq	%r12, %rbx
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L213
.L216:
	movq	%rax, %rbx
.L213:
	movq	8(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L214
.L215:
	movq	%rax, %rbx
.L214:
	movq	16(%rsp), %rdi
	call	__cxa_free_exception@PLT
	movq	%rbx, %rdi
	call	_Unwind_Resume@PLT
.LEHE28:
	.cfi_endproc
.LFE5762:
	.section	.gcc_except_table
.LLSDA5762:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE5762-.LLSDACSB5762
.LLSDACSB5762:
	.uleb128 .LEHB20-.LFB5762
	.uleb128 .LEHE20-.LEHB20
	.uleb128 .L215-.LFB5762
	.uleb128 0
	.uleb128 .LEHB21-.LFB5762
	.uleb128 .LEHE21-.LEHB21
	.uleb128 .L216-.LFB5762
	.uleb128 0
	.uleb128 .LEHB22-.LFB5762
	.uleb128 .LEHE22-.LEHB22
	.uleb128 .L217-.LFB5762
	.uleb128 0
	.uleb128 .LEHB23-.LFB5762
	.uleb128 .LEHE23-.LEHB23
	.uleb128 .L218-.LFB5762
	.uleb128 0
	.uleb128 .LEHB24-.LFB5762
	.uleb128 .LEHE24-.LEHB24
	.uleb128 .L219-.LFB5762
	.uleb128 0
	.uleb128 .LEHB25-.LFB5762
	.uleb128 .LEHE25-.LEHB25
	.uleb128 .L220-.LFB5762
	.uleb128 0
	.uleb128 .LEHB26-.LFB5762
	.uleb128 .LEHE26-.LEHB26
	.uleb128 .L221-.LFB5762
	.uleb128 0
	.uleb128 .LEHB27-.LFB5762
	.uleb128 .LEHE27-.LEHB27
	.uleb128 .L222-.LFB5762
	.uleb128 0
	.uleb128 .LEHB28-.LFB5762
	.uleb128 .LEHE28-.LEHB28
	.uleb128 0
	.uleb128 0
.LLSDACSE5762:
	.section	.text.unlikely._ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_,"axG",@progbits,_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_,comdat
	.size	_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_, .-_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_
	.section	.rodata._ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE.str1.1,"aMS",@progbits,1
.LC28:
	.string	" or "
.LC29:
	.string	"has dtype "
	.section	.text._ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE,"axG",@progbits,_ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE,comdat
	.align 2
	.p2align 4
	.weak	_ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE
	.hidden	_ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE
	.type	_ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE, @function
_ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE:
.LFB5801:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA5801
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	leaq	(%rsi,%rdx,4), %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	movq	%rsi, %rbx
	subq	$136, %rsp
	.cfi_def_cfa_offset 192
	movl	72(%rdi), %esi
	leaq	48(%rsp), %rax
	movq	%rdi, 8(%rsp)
	leaq	64(%rsp), %r13
	movq	%rax, 32(%rsp)
	leaq	32(%rsp), %r14
	movq	$0, 40(%rsp)
	movb	$0, 48(%rsp)
	cmpq	%rbx, %rbp
	je	.L225
	movq	%rbx, %rax
	jmp	.L227
	.p2align 4,,10
	.p2align 3
.L261:
	addq	$4, %rax
	cmpq	%rax, %rbp
	je	.L260
.L227:
	cmpl	%esi, (%rax)
	jne	.L261
	addq	$136, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%rbp
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L264:
	.cfi_restore_state
	movq	8(%rsp), %rax
	movl	72(%rax), %esi
.L225:
	movq	%r13, %rdi
.LEHB29:
	call	_ZN10torchpaged9type_nameB5cxx11Ei
.LEHE29:
	movl	$10, %r8d
	xorl	%edx, %edx
	xorl	%esi, %esi
	movq	%r13, %rdi
	leaq	.LC29(%rip), %rcx
.LEHB30:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
.LEHE30:
	leaq	112(%rsp), %rdi
	movq	%rax, %rbx
	movq	%rdi, 96(%rsp)
	movq	(%rax), %rax
	leaq	16(%rbx), %rbp
	movq	8(%rbx), %rdx
	cmpq	%rbp, %rax
	je	.L262
	movq	%rax, 96(%rsp)
	movq	16(%rbx), %rax
	movq	%rax, 112(%rsp)
	movq	8(%rbx), %rdx
.L238:
	xorl	%eax, %eax
	movq	%rdx, 104(%rsp)
	movq	%r14, %rcx
	movq	%rax, 8(%rbx)
	movq	8(%rsp), %rax
	movq	%rbp, (%rbx)
	leaq	96(%rsp), %rbp
	movb	$0, 16(%rbx)
	movq	(%rax), %rdi
	leaq	8(%rax), %rsi
	movq	%rbp, %rdx
.LEHB31:
	call	_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_
.LEHE31:
	.p2align 4,,10
	.p2align 3
.L260:
	leaq	64(%rsp), %r13
	leaq	32(%rsp), %r14
	movabsq	$4611686018427387903, %r15
	jmp	.L236
	.p2align 4,,10
	.p2align 3
.L229:
	movq	%rdx, 96(%rsp)
	movq	16(%rcx), %rdx
	movq	%rdx, 112(%rsp)
.L231:
	movq	%rax, 104(%rsp)
	movq	%r15, %rax
	movq	$0, 8(%rcx)
	subq	40(%rsp), %rax
	movb	$0, 16(%rcx)
	movq	104(%rsp), %rdx
	movq	%rsi, (%rcx)
	movq	96(%rsp), %rsi
	cmpq	%rdx, %rax
	jb	.L263
	movq	%r14, %rdi
.LEHB32:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE32:
	movq	96(%rsp), %rdi
	cmpq	%r12, %rdi
	je	.L234
	movq	112(%rsp), %rax
	leaq	1(%rax), %rsi
	call	_ZdlPvm@PLT
.L234:
	movq	64(%rsp), %rdi
	leaq	80(%rsp), %rax
	cmpq	%rax, %rdi
	je	.L235
	movq	80(%rsp), %rax
	leaq	1(%rax), %rsi
	call	_ZdlPvm@PLT
.L235:
	addq	$4, %rbx
	cmpq	%rbx, %rbp
	je	.L264
.L236:
	movl	(%rbx), %esi
	movq	%r13, %rdi
.LEHB33:
	call	_ZN10torchpaged9type_nameB5cxx11Ei
.LEHE33:
	movq	40(%rsp), %r8
	leaq	.LC15(%rip), %rcx
	testq	%r8, %r8
	je	.L228
	movl	$4, %r8d
	leaq	.LC28(%rip), %rcx
.L228:
	xorl	%edx, %edx
	xorl	%esi, %esi
	movq	%r13, %rdi
.LEHB34:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
.LEHE34:
	leaq	112(%rsp), %r12
	leaq	16(%rax), %rsi
	movq	%rax, %rcx
	movq	%r12, 96(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%rsi, %rdx
	jne	.L229
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L231
	movq	%r12, %rdi
	movq	%rcx, 24(%rsp)
	movq	%rsi, 16(%rsp)
	call	memcpy@PLT
	movq	24(%rsp), %rcx
	movq	16(%rsp), %rsi
	movq	8(%rcx), %rax
	jmp	.L231
.L263:
	leaq	.LC19(%rip), %rdi
.LEHB35:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE35:
.L246:
	movq	%rax, %rbx
.L239:
	leaq	96(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L243:
	movq	%r13, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L241:
	movq	%r14, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%rbx, %rdi
.LEHB36:
	call	_Unwind_Resume@PLT
.LEHE36:
.L247:
	movq	%rax, %rbx
	jmp	.L241
.L248:
.L259:
	movq	%rax, %rbx
	jmp	.L243
.L245:
	jmp	.L259
.L262:
	movq	%rdx, %rax
	addq	$1, %rax
	je	.L238
	movq	%rax, %rdx
	movq	%rbp, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rdx
	jmp	.L238
.L249:
	movq	%rax, %rbx
.L242:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L243
	.cfi_endproc
.LFE5801:
	.section	.gcc_except_table
.LLSDA5801:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE5801-.LLSDACSB5801
.LLSDACSB5801:
	.uleb128 .LEHB29-.LFB5801
	.uleb128 .LEHE29-.LEHB29
	.uleb128 .L247-.LFB5801
	.uleb128 0
	.uleb128 .LEHB30-.LFB5801
	.uleb128 .LEHE30-.LEHB30
	.uleb128 .L248-.LFB5801
	.uleb128 0
	.uleb128 .LEHB31-.LFB5801
	.uleb128 .LEHE31-.LEHB31
	.uleb128 .L249-.LFB5801
	.uleb128 0
	.uleb128 .LEHB32-.LFB5801
	.uleb128 .LEHE32-.LEHB32
	.uleb128 .L246-.LFB5801
	.uleb128 0
	.uleb128 .LEHB33-.LFB5801
	.uleb128 .LEHE33-.LEHB33
	.uleb128 .L247-.LFB5801
	.uleb128 0
	.uleb128 .LEHB34-.LFB5801
	.uleb128 .LEHE34-.LEHB34
	.uleb128 .L245-.LFB5801
	.uleb128 0
	.uleb128 .LEHB35-.LFB5801
	.uleb128 .LEHE35-.LEHB35
	.uleb128 .L246-.LFB5801
	.uleb128 0
	.uleb128 .LEHB36-.LFB5801
	.uleb128 .LEHE36-.LEHB36
	.uleb128 0
	.uleb128 0
.LLSDACSE5801:
	.section	.text._ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE,"axG",@progbits,_ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE,comdat
	.size	_ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE, .-_ZNK10torchpaged6Tensor11expect_typeESt16initializer_listIiE
	.section	.rodata._ZNK10torchpaged6Tensor10expect_dimElPKc.str1.1,"aMS",@progbits,1
.LC30:
	.string	"has "
.LC31:
	.string	" dimensions, shape "
	.section	.text._ZNK10torchpaged6Tensor10expect_dimElPKc,"axG",@progbits,_ZNK10torchpaged6Tensor10expect_dimElPKc,comdat
	.align 2
	.p2align 4
	.weak	_ZNK10torchpaged6Tensor10expect_dimElPKc
	.hidden	_ZNK10torchpaged6Tensor10expect_dimElPKc
	.type	_ZNK10torchpaged6Tensor10expect_dimElPKc, @function
_ZNK10torchpaged6Tensor10expect_dimElPKc:
.LFB5799:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA5799
	cmpq	%rsi, 64(%rdi)
	jne	.L352
	ret
	.p2align 4,,10
	.p2align 3
.L352:
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	movq	%rsi, %r15
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	movq	%rsi, %r13
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	shrq	$63, %r13
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	movq	%rdi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	movq	%rdx, %rbx
	subq	$296, %rsp
	.cfi_def_cfa_offset 352
	negq	%r15
	cmovs	%rsi, %r15
	cmpq	$9, %r15
	jbe	.L323
	cmpq	$99, %r15
	jbe	.L324
	cmpq	$999, %r15
	jbe	.L325
	cmpq	$9999, %r15
	jbe	.L326
	movq	%r15, %rdx
	movl	$1, %r12d
	movabsq	$3777893186295716171, %rsi
	jmp	.L272
	.p2align 4,,10
	.p2align 3
.L275:
	cmpq	$999999, %rcx
	jbe	.L353
	cmpq	$9999999, %rcx
	jbe	.L354
	cmpq	$99999999, %rcx
	jbe	.L355
.L272:
	movq	%rdx, %rax
	movq	%rdx, %rcx
	mulq	%rsi
	movl	%r12d, %eax
	addl	$4, %r12d
	shrq	$11, %rdx
	cmpq	$99999, %rcx
	ja	.L275
.L268:
	leaq	192(%rsp), %r14
	leal	(%r12,%r13), %esi
	movl	$45, %edx
	leaq	208(%rsp), %rax
	movq	%r14, %rdi
	movq	%rax, 192(%rsp)
.LEHB37:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
.LEHE37:
	movq	192(%rsp), %rdi
	movq	%r15, %rdx
	movl	%r12d, %esi
	addq	%r13, %rdi
	call	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_@PLT
	movabsq	$4611686018427387903, %rax
	subq	200(%rsp), %rax
	cmpq	$1, %rax
	jbe	.L356
	movl	$2, %edx
	leaq	.LC25(%rip), %rsi
	movq	%r14, %rdi
.LEHB38:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE38:
	leaq	240(%rsp), %rdi
	leaq	16(%rax), %r13
	movq	%rax, %r12
	movq	%rdi, 224(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%r13, %rdx
	je	.L357
	movq	%rdx, 224(%rsp)
	movq	16(%r12), %rdx
	movq	%rdx, 240(%rsp)
.L279:
	movq	%r13, (%r12)
	movq	%rbx, %rdi
	movq	$0, 8(%r12)
	movb	$0, 16(%r12)
	movq	%rax, 232(%rsp)
	call	strlen@PLT
	movq	%rax, %rdx
	movabsq	$4611686018427387903, %rax
	subq	232(%rsp), %rax
	cmpq	%rdx, %rax
	leaq	224(%rsp), %rax
	movq	%rax, 16(%rsp)
	jb	.L358
	movq	%rbx, %rsi
	movq	%rax, %rdi
.LEHB39:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE39:
	leaq	272(%rsp), %rdi
	leaq	16(%rax), %r12
	movq	%rax, %rbx
	movq	%rdi, 256(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%r12, %rdx
	je	.L359
	movq	%rdx, 256(%rsp)
	movq	16(%rbx), %rdx
	movq	%rdx, 272(%rsp)
.L284:
	movq	%r12, (%rbx)
	movq	%rbp, %rsi
	movq	$0, 8(%rbx)
	movb	$0, 16(%rbx)
	movq	%rax, 264(%rsp)
	leaq	128(%rsp), %rax
	movq	%rax, %rdi
	movq	%rax, 8(%rsp)
.LEHB40:
	call	_ZNK10torchpaged6Tensor5shapeB5cxx11Ev
.LEHE40:
	movq	64(%rbp), %rax
	movq	%rax, %r13
	movq	%rax, %r12
	shrq	$63, %r13
	negq	%r12
	cmovs	%rax, %r12
	cmpq	$9, %r12
	jbe	.L327
	cmpq	$99, %r12
	jbe	.L328
	cmpq	$999, %r12
	jbe	.L329
	cmpq	$9999, %r12
	jbe	.L330
	movq	%r12, %rdx
	movl	$1, %ebx
	movabsq	$3777893186295716171, %rsi
	jmp	.L291
	.p2align 4,,10
	.p2align 3
.L294:
	cmpq	$999999, %rcx
	jbe	.L360
	cmpq	$9999999, %rcx
	jbe	.L361
	cmpq	$99999999, %rcx
	jbe	.L362
.L291:
	movq	%rdx, %rax
	movq	%rdx, %rcx
	mulq	%rsi
	movl	%ebx, %eax
	addl	$4, %ebx
	shrq	$11, %rdx
	cmpq	$99999, %rcx
	ja	.L294
.L287:
	leaq	32(%rsp), %r15
	leaq	48(%rsp), %rax
	movl	$45, %edx
	leal	(%rbx,%r13), %esi
	movq	%r15, %rdi
	movq	%rax, 32(%rsp)
.LEHB41:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
.LEHE41:
	movq	32(%rsp), %rdi
	movq	%r12, %rdx
	movl	%ebx, %esi
	addq	%r13, %rdi
	call	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_@PLT
	movl	$4, %r8d
	xorl	%edx, %edx
	xorl	%esi, %esi
	leaq	.LC30(%rip), %rcx
	movq	%r15, %rdi
.LEHB42:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
.LEHE42:
	leaq	80(%rsp), %rdi
	movq	%rax, %rbx
	movq	%rdi, 64(%rsp)
	movq	(%rax), %rax
	leaq	16(%rbx), %r12
	movq	8(%rbx), %rdx
	cmpq	%r12, %rax
	je	.L363
	movq	%rax, 64(%rsp)
	movq	16(%rbx), %rax
	movq	%rax, 80(%rsp)
.L297:
	movabsq	$4611686018427387903, %rax
	movq	%r12, (%rbx)
	subq	%rdx, %rax
	movq	$0, 8(%rbx)
	movb	$0, 16(%rbx)
	leaq	64(%rsp), %rbx
	movq	%rdx, 72(%rsp)
	cmpq	$18, %rax
	jbe	.L364
	movl	$19, %edx
	leaq	.LC31(%rip), %rsi
	movq	%rbx, %rdi
.LEHB43:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE43:
	leaq	112(%rsp), %rcx
	movq	%rax, %r12
	movq	%rcx, 96(%rsp)
	movq	(%rax), %rax
	leaq	16(%r12), %r13
	movq	8(%r12), %r8
	cmpq	%r13, %rax
	je	.L365
	movq	%rax, 96(%rsp)
	movq	16(%r12), %rax
	movq	%rax, 112(%rsp)
.L302:
	movq	%r13, (%r12)
	movq	96(%rsp), %rdi
	movq	$0, 8(%r12)
	movq	136(%rsp), %rdx
	movq	%r8, 104(%rsp)
	movb	$0, 16(%r12)
	leaq	(%r8,%rdx), %rsi
	cmpq	%rcx, %rdi
	je	.L366
	movq	128(%rsp), %rax
	movq	%rax, %rcx
	cmpq	%rsi, 112(%rsp)
	jnb	.L305
	leaq	144(%rsp), %rcx
	cmpq	%rcx, %rax
	je	.L332
.L306:
	movq	144(%rsp), %rcx
.L307:
	cmpq	%rsi, %rcx
	jnb	.L308
	movq	%rax, %rcx
.L305:
	movabsq	$4611686018427387903, %rax
	leaq	96(%rsp), %r12
	subq	%r8, %rax
	cmpq	%rdx, %rax
	jb	.L367
	movq	%rcx, %rsi
	movq	%r12, %rdi
.LEHB44:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE44:
	leaq	176(%rsp), %rdi
	movq	%rax, %r13
	movq	%rdi, 160(%rsp)
	movq	(%rax), %rax
	leaq	16(%r13), %rcx
	movq	8(%r13), %rdx
	cmpq	%rcx, %rax
	je	.L368
	movq	%rax, 160(%rsp)
	movq	16(%r13), %rax
	movq	%rax, 176(%rsp)
.L314:
	xorl	%eax, %eax
	movq	%rdx, 168(%rsp)
	movq	%rcx, 0(%r13)
	movq	%rax, 8(%r13)
	movb	$0, 16(%r13)
.L311:
	leaq	160(%rsp), %rax
	leaq	256(%rsp), %r13
	movq	0(%rbp), %rdi
	leaq	8(%rbp), %rsi
	movq	%r13, %rcx
	movq	%rax, %rdx
	movq	%rax, 24(%rsp)
.LEHB45:
	call	_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_
.LEHE45:
	.p2align 4,,10
	.p2align 3
.L357:
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L279
	movq	%r13, %rsi
	call	memcpy@PLT
	movq	8(%r12), %rax
	jmp	.L279
	.p2align 4,,10
	.p2align 3
.L365:
	movq	%r8, %rdx
	addq	$1, %rdx
	je	.L302
	movq	%rcx, %rdi
	movq	%r13, %rsi
	call	memcpy@PLT
	movq	8(%r12), %r8
	movq	%rax, %rcx
	jmp	.L302
	.p2align 4,,10
	.p2align 3
.L363:
	movq	%rdx, %rax
	addq	$1, %rax
	je	.L297
	movq	%rax, %rdx
	movq	%r12, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rdx
	jmp	.L297
	.p2align 4,,10
	.p2align 3
.L359:
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L284
	movq	%r12, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rax
	jmp	.L284
	.p2align 4,,10
	.p2align 3
.L360:
	leal	5(%rax), %ebx
	jmp	.L287
	.p2align 4,,10
	.p2align 3
.L353:
	leal	5(%rax), %r12d
	jmp	.L268
	.p2align 4,,10
	.p2align 3
.L354:
	leal	6(%rax), %r12d
	jmp	.L268
	.p2align 4,,10
	.p2align 3
.L308:
	movq	%rdi, %rcx
	movq	8(%rsp), %rdi
	xorl	%edx, %edx
	xorl	%esi, %esi
	leaq	96(%rsp), %r12
.LEHB46:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
	leaq	176(%rsp), %rdi
	movq	%rax, %r12
	movq	%rdi, 160(%rsp)
	movq	(%rax), %rax
	leaq	16(%r12), %r13
	movq	8(%r12), %rdx
	cmpq	%r13, %rax
	je	.L369
	movq	%rax, 160(%rsp)
	movq	16(%r12), %rax
	movq	%rax, 176(%rsp)
.L310:
	movq	%rdx, 168(%rsp)
	xorl	%edx, %edx
	movq	%r13, (%r12)
	movq	%rdx, 8(%r12)
	movb	$0, 16(%r12)
	leaq	96(%rsp), %r12
	jmp	.L311
	.p2align 4,,10
	.p2align 3
.L361:
	leal	6(%rax), %ebx
	jmp	.L287
	.p2align 4,,10
	.p2align 3
.L355:
	leal	7(%rax), %r12d
	jmp	.L268
	.p2align 4,,10
	.p2align 3
.L362:
	leal	7(%rax), %ebx
	jmp	.L287
	.p2align 4,,10
	.p2align 3
.L366:
	movq	128(%rsp), %rcx
	movq	%rcx, %rax
	cmpq	$15, %rsi
	jbe	.L305
	leaq	144(%rsp), %r9
	cmpq	%r9, %rcx
	jne	.L306
	jmp	.L305
	.p2align 4,,10
	.p2align 3
.L332:
	movl	$15, %ecx
	jmp	.L307
.L327:
	movl	$1, %ebx
	jmp	.L287
.L323:
	movl	$1, %r12d
	jmp	.L268
.L324:
	movl	$2, %r12d
	jmp	.L268
.L328:
	movl	$2, %ebx
	jmp	.L287
.L325:
	movl	$3, %r12d
	jmp	.L268
.L326:
	movl	$4, %r12d
	jmp	.L268
.L329:
	movl	$3, %ebx
	jmp	.L287
.L330:
	movl	$4, %ebx
	jmp	.L287
.L367:
	leaq	.LC19(%rip), %rdi
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE46:
.L364:
	leaq	.LC19(%rip), %rdi
.LEHB47:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE47:
.L358:
	leaq	.LC19(%rip), %rdi
.LEHB48:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE48:
.L356:
	leaq	.LC19(%rip), %rdi
.LEHB49:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE49:
.L369:
	movq	%rdx, %rax
	addq	$1, %rax
	je	.L310
	movq	%rax, %rdx
	movq	%r13, %rsi
	call	memcpy@PLT
	movq	8(%r12), %rdx
	jmp	.L310
.L333:
	movq	%rax, %rbx
	jmp	.L322
.L315:
	movq	24(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L316:
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L317:
	movq	%rbx, %rdi
	movq	%rbp, %rbx
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L318:
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L319:
	movq	8(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L320:
	movq	%r13, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L321:
	movq	16(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L322:
	movq	%r14, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%rbx, %rdi
.LEHB50:
	call	_Unwind_Resume@PLT
.LEHE50:
.L340:
	movq	%rax, %rbp
	jmp	.L315
.L336:
	movq	%rax, %rbx
	leaq	256(%rsp), %r13
	jmp	.L319
.L334:
	movq	%rax, %rbx
	jmp	.L321
.L368:
	movq	%rdx, %rax
	addq	$1, %rax
	je	.L314
	movq	%rax, %rdx
	movq	%rcx, %rsi
	movq	%rcx, 24(%rsp)
	call	memcpy@PLT
	movq	8(%r13), %rdx
	movq	24(%rsp), %rcx
	jmp	.L314
.L338:
	movq	%rax, %rbp
	leaq	256(%rsp), %r13
	jmp	.L317
.L337:
	movq	%rax, %rbx
	leaq	256(%rsp), %r13
	jmp	.L318
.L335:
	movq	%rax, %rbx
	leaq	256(%rsp), %r13
	jmp	.L320
.L339:
	movq	%rax, %rbp
	leaq	256(%rsp), %r13
	jmp	.L316
	.cfi_endproc
.LFE5799:
	.section	.gcc_except_table
.LLSDA5799:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE5799-.LLSDACSB5799
.LLSDACSB5799:
	.uleb128 .LEHB37-.LFB5799
	.uleb128 .LEHE37-.LEHB37
	.uleb128 0
	.uleb128 0
	.uleb128 .LEHB38-.LFB5799
	.uleb128 .LEHE38-.LEHB38
	.uleb128 .L333-.LFB5799
	.uleb128 0
	.uleb128 .LEHB39-.LFB5799
	.uleb128 .LEHE39-.LEHB39
	.uleb128 .L334-.LFB5799
	.uleb128 0
	.uleb128 .LEHB40-.LFB5799
	.uleb128 .LEHE40-.LEHB40
	.uleb128 .L335-.LFB5799
	.uleb128 0
	.uleb128 .LEHB41-.LFB5799
	.uleb128 .LEHE41-.LEHB41
	.uleb128 .L336-.LFB5799
	.uleb128 0
	.uleb128 .LEHB42-.LFB5799
	.uleb128 .LEHE42-.LEHB42
	.uleb128 .L337-.LFB5799
	.uleb128 0
	.uleb128 .LEHB43-.LFB5799
	.uleb128 .LEHE43-.LEHB43
	.uleb128 .L338-.LFB5799
	.uleb128 0
	.uleb128 .LEHB44-.LFB5799
	.uleb128 .LEHE44-.LEHB44
	.uleb128 .L339-.LFB5799
	.uleb128 0
	.uleb128 .LEHB45-.LFB5799
	.uleb128 .LEHE45-.LEHB45
	.uleb128 .L340-.LFB5799
	.uleb128 0
	.uleb128 .LEHB46-.LFB5799
	.uleb128 .LEHE46-.LEHB46
	.uleb128 .L339-.LFB5799
	.uleb128 0
	.uleb128 .LEHB47-.LFB5799
	.uleb128 .LEHE47-.LEHB47
	.uleb128 .L338-.LFB5799
	.uleb128 0
	.uleb128 .LEHB48-.LFB5799
	.uleb128 .LEHE48-.LEHB48
	.uleb128 .L334-.LFB5799
	.uleb128 0
	.uleb128 .LEHB49-.LFB5799
	.uleb128 .LEHE49-.LEHB49
	.uleb128 .L333-.LFB5799
	.uleb128 0
	.uleb128 .LEHB50-.LFB5799
	.uleb128 .LEHE50-.LEHB50
	.uleb128 0
	.uleb128 0
.LLSDACSE5799:
	.section	.text._ZNK10torchpaged6Tensor10expect_dimElPKc,"axG",@progbits,_ZNK10torchpaged6Tensor10expect_dimElPKc,comdat
	.size	_ZNK10torchpaged6Tensor10expect_dimElPKc, .-_ZNK10torchpaged6Tensor10expect_dimElPKc
	.section	.rodata._ZNK10torchpaged6Tensor11expect_sizeEllPKc.str1.1,"aMS",@progbits,1
.LC32:
	.string	" ("
.LC33:
	.string	"has size "
.LC34:
	.string	" in dimension "
.LC35:
	.string	", shape "
	.section	.text._ZNK10torchpaged6Tensor11expect_sizeEllPKc,"axG",@progbits,_ZNK10torchpaged6Tensor11expect_sizeEllPKc,comdat
	.align 2
	.p2align 4
	.weak	_ZNK10torchpaged6Tensor11expect_sizeEllPKc
	.hidden	_ZNK10torchpaged6Tensor11expect_sizeEllPKc
	.type	_ZNK10torchpaged6Tensor11expect_sizeEllPKc, @function
_ZNK10torchpaged6Tensor11expect_sizeEllPKc:
.LFB5800:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA5800
	movq	48(%rdi), %rax
	cmpq	%rdx, (%rax,%rsi,8)
	jne	.L507
	ret
	.p2align 4,,10
	.p2align 3
.L507:
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	movq	%rdx, %r15
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	movq	%rdx, %r14
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	shrq	$63, %r14
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	movq	%rdi, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	movq	%rsi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	movq	%rcx, %rbx
	subq	$456, %rsp
	.cfi_def_cfa_offset 512
	negq	%r15
	cmovs	%rdx, %r15
	cmpq	$9, %r15
	jbe	.L467
	cmpq	$99, %r15
	jbe	.L468
	cmpq	$999, %r15
	jbe	.L469
	cmpq	$9999, %r15
	jbe	.L470
	movq	%r15, %rdx
	movl	$1, %r13d
	movabsq	$3777893186295716171, %rsi
	jmp	.L377
	.p2align 4,,10
	.p2align 3
.L380:
	cmpq	$999999, %rcx
	jbe	.L508
	cmpq	$9999999, %rcx
	jbe	.L509
	cmpq	$99999999, %rcx
	jbe	.L510
.L377:
	movq	%rdx, %rax
	movq	%rdx, %rcx
	mulq	%rsi
	movl	%r13d, %eax
	addl	$4, %r13d
	shrq	$11, %rdx
	cmpq	$99999, %rcx
	ja	.L380
.L373:
	leaq	336(%rsp), %rax
	leal	0(%r13,%r14), %esi
	movl	$45, %edx
	leaq	320(%rsp), %rdi
	movq	%rax, 320(%rsp)
	movq	%rdi, 8(%rsp)
.LEHB51:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
.LEHE51:
	movq	320(%rsp), %rdi
	movq	%r15, %rdx
	movl	%r13d, %esi
	addq	%r14, %rdi
	call	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_@PLT
	movabsq	$4611686018427387903, %rax
	subq	328(%rsp), %rax
	cmpq	$1, %rax
	jbe	.L511
	movq	8(%rsp), %rdi
	movl	$2, %edx
	leaq	.LC32(%rip), %rsi
.LEHB52:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE52:
	leaq	368(%rsp), %rdi
	leaq	16(%rax), %r14
	movq	%rax, %r13
	movq	%rdi, 352(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%r14, %rdx
	je	.L512
	movq	%rdx, 352(%rsp)
	movq	16(%r13), %rdx
	movq	%rdx, 368(%rsp)
.L384:
	movq	%r14, 0(%r13)
	movq	%rbx, %rdi
	movq	$0, 8(%r13)
	movb	$0, 16(%r13)
	movq	%rax, 360(%rsp)
	call	strlen@PLT
	movq	%rax, %rdx
	movabsq	$4611686018427387903, %rax
	subq	360(%rsp), %rax
	cmpq	%rdx, %rax
	leaq	352(%rsp), %rax
	movq	%rax, 40(%rsp)
	jb	.L513
	movq	%rbx, %rsi
	movq	%rax, %rdi
.LEHB53:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE53:
	leaq	400(%rsp), %rdi
	leaq	16(%rax), %r13
	movq	%rax, %rbx
	movq	%rdi, 384(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%r13, %rdx
	je	.L514
	movq	%rdx, 384(%rsp)
	movq	16(%rbx), %rdx
	movq	%rdx, 400(%rsp)
.L389:
	movabsq	$4611686018427387903, %rdx
	movq	%rax, 392(%rsp)
	cmpq	%rdx, %rax
	leaq	384(%rsp), %rax
	movq	%r13, (%rbx)
	movq	$0, 8(%rbx)
	movb	$0, 16(%rbx)
	movq	%rax, 32(%rsp)
	je	.L515
	movl	$1, %edx
	leaq	.LC17(%rip), %rsi
	movq	%rax, %rdi
.LEHB54:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE54:
	leaq	432(%rsp), %rdi
	leaq	16(%rax), %r13
	movq	%rax, %rbx
	movq	%rdi, 416(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%r13, %rdx
	je	.L516
	movq	%rdx, 416(%rsp)
	movq	16(%rbx), %rdx
	movq	%rdx, 432(%rsp)
.L394:
	movq	%r13, (%rbx)
	movq	%r12, %rsi
	movq	$0, 8(%rbx)
	movb	$0, 16(%rbx)
	movq	%rax, 424(%rsp)
	leaq	256(%rsp), %rax
	movq	%rax, %rdi
	movq	%rax, 24(%rsp)
.LEHB55:
	call	_ZNK10torchpaged6Tensor5shapeB5cxx11Ev
.LEHE55:
	movq	%rbp, %r15
	movq	%rbp, %r14
	negq	%r14
	shrq	$63, %r15
	testq	%rbp, %rbp
	cmovns	%rbp, %r14
	cmpq	$9, %r14
	jbe	.L471
	cmpq	$99, %r14
	jbe	.L472
	cmpq	$999, %r14
	jbe	.L473
	cmpq	$9999, %r14
	jbe	.L474
	movq	%r14, %rdx
	movl	$1, %ebx
	movabsq	$3777893186295716171, %rsi
	jmp	.L401
	.p2align 4,,10
	.p2align 3
.L404:
	cmpq	$999999, %rcx
	jbe	.L517
	cmpq	$9999999, %rcx
	jbe	.L518
	cmpq	$99999999, %rcx
	jbe	.L519
.L401:
	movq	%rdx, %rax
	movq	%rdx, %rcx
	mulq	%rsi
	movl	%ebx, %eax
	addl	$4, %ebx
	shrq	$11, %rdx
	cmpq	$99999, %rcx
	ja	.L404
.L397:
	leaq	160(%rsp), %rdi
	leal	(%rbx,%r15), %esi
	movl	$45, %edx
	leaq	176(%rsp), %r13
	movq	%rdi, 16(%rsp)
	movq	%r13, 160(%rsp)
.LEHB56:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
.LEHE56:
	movq	160(%rsp), %rdi
	movq	%r14, %rdx
	movl	%ebx, %esi
	addq	%r15, %rdi
	call	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_@PLT
	movq	48(%r12), %rax
	movq	(%rax,%rbp,8), %rax
	movq	%rax, %r14
	movq	%rax, %rbp
	shrq	$63, %r14
	negq	%rbp
	cmovs	%rax, %rbp
	cmpq	$9, %rbp
	jbe	.L475
	cmpq	$99, %rbp
	jbe	.L476
	cmpq	$999, %rbp
	jbe	.L477
	cmpq	$9999, %rbp
	jbe	.L478
	movq	%rbp, %rdx
	movl	$1, %ebx
	movabsq	$3777893186295716171, %rsi
	jmp	.L411
	.p2align 4,,10
	.p2align 3
.L414:
	cmpq	$999999, %rcx
	jbe	.L520
	cmpq	$9999999, %rcx
	jbe	.L521
	cmpq	$99999999, %rcx
	jbe	.L522
.L411:
	movq	%rdx, %rax
	movq	%rdx, %rcx
	mulq	%rsi
	movl	%ebx, %eax
	addl	$4, %ebx
	shrq	$11, %rdx
	cmpq	$99999, %rcx
	ja	.L414
.L407:
	leaq	64(%rsp), %r15
	leaq	80(%rsp), %rax
	movl	$45, %edx
	leal	(%rbx,%r14), %esi
	movq	%r15, %rdi
	movq	%rax, 64(%rsp)
.LEHB57:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc@PLT
.LEHE57:
	movq	64(%rsp), %rdi
	movq	%rbp, %rdx
	movl	%ebx, %esi
	addq	%r14, %rdi
	call	_ZNSt8__detail18__to_chars_10_implImEEvPcjT_@PLT
	movl	$9, %r8d
	xorl	%edx, %edx
	xorl	%esi, %esi
	leaq	.LC33(%rip), %rcx
	movq	%r15, %rdi
.LEHB58:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
.LEHE58:
	leaq	112(%rsp), %rdi
	movq	%rax, %rbx
	movq	%rdi, 96(%rsp)
	movq	(%rax), %rax
	leaq	16(%rbx), %rbp
	movq	8(%rbx), %rdx
	cmpq	%rbp, %rax
	je	.L523
	movq	%rax, 96(%rsp)
	movq	16(%rbx), %rax
	movq	%rax, 112(%rsp)
.L417:
	movabsq	$4611686018427387903, %rax
	movq	%rbp, (%rbx)
	leaq	96(%rsp), %r14
	subq	%rdx, %rax
	movq	%rdx, 104(%rsp)
	movq	$0, 8(%rbx)
	movb	$0, 16(%rbx)
	cmpq	$13, %rax
	jbe	.L524
	movl	$14, %edx
	leaq	.LC34(%rip), %rsi
	movq	%r14, %rdi
.LEHB59:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE59:
	leaq	144(%rsp), %rdi
	movq	%rax, %rbx
	movq	%rdi, 128(%rsp)
	movq	(%rax), %rax
	leaq	16(%rbx), %rbp
	movq	8(%rbx), %r8
	cmpq	%rbp, %rax
	je	.L525
	movq	%rax, 128(%rsp)
	movq	16(%rbx), %rax
	movq	%rax, 144(%rsp)
.L422:
	movq	%rbp, (%rbx)
	movq	128(%rsp), %rcx
	movq	$0, 8(%rbx)
	movq	168(%rsp), %r9
	movq	%r8, 136(%rsp)
	movb	$0, 16(%rbx)
	leaq	(%r8,%r9), %rdx
	cmpq	%rdi, %rcx
	je	.L526
	movq	160(%rsp), %rax
	movq	%rax, %rsi
	cmpq	%rdx, 144(%rsp)
	jnb	.L425
	cmpq	%r13, %rax
	je	.L480
.L426:
	movq	176(%rsp), %rsi
.L427:
	cmpq	%rdx, %rsi
	jnb	.L428
	movq	%rax, %rsi
.L425:
	movabsq	$4611686018427387903, %rax
	leaq	128(%rsp), %rbp
	subq	%r8, %rax
	cmpq	%r9, %rax
	jb	.L527
	movq	%r9, %rdx
	movq	%rbp, %rdi
.LEHB60:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE60:
	leaq	208(%rsp), %rdi
	leaq	16(%rax), %r13
	movq	%rax, %rbx
	movq	%rdi, 192(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%r13, %rdx
	je	.L528
	movq	%rdx, 192(%rsp)
	movq	16(%rbx), %rdx
	movq	%rdx, 208(%rsp)
.L437:
	movq	%rax, 200(%rsp)
	movq	%r13, (%rbx)
	movq	$0, 8(%rbx)
	movb	$0, 16(%rbx)
.L433:
	movabsq	$4611686018427387903, %rax
	subq	200(%rsp), %rax
	leaq	192(%rsp), %r13
	cmpq	$7, %rax
	jbe	.L529
	movl	$8, %edx
	leaq	.LC35(%rip), %rsi
	movq	%r13, %rdi
.LEHB61:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE61:
	leaq	240(%rsp), %rdi
	movq	%rax, %rbx
	movq	%rdi, 224(%rsp)
	movq	(%rax), %rax
	leaq	16(%rbx), %rcx
	movq	8(%rbx), %r8
	cmpq	%rcx, %rax
	je	.L530
	movq	%rax, 224(%rsp)
	movq	16(%rbx), %rax
	movq	%rax, 240(%rsp)
.L442:
	movq	%rcx, (%rbx)
	movq	224(%rsp), %r9
	movq	$0, 8(%rbx)
	movq	264(%rsp), %rcx
	movq	%r8, 232(%rsp)
	movb	$0, 16(%rbx)
	leaq	(%r8,%rcx), %rdx
	cmpq	%rdi, %r9
	je	.L531
	movq	256(%rsp), %rax
	movq	%rax, %rsi
	cmpq	%rdx, 240(%rsp)
	jnb	.L445
	leaq	272(%rsp), %rsi
	cmpq	%rsi, %rax
	je	.L482
.L446:
	movq	272(%rsp), %rsi
.L447:
	cmpq	%rdx, %rsi
	jnb	.L448
	movq	%rax, %rsi
.L445:
	movabsq	$4611686018427387903, %rax
	leaq	224(%rsp), %rbx
	subq	%r8, %rax
	cmpq	%rcx, %rax
	jb	.L532
	movq	%rcx, %rdx
	movq	%rbx, %rdi
.LEHB62:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm@PLT
.LEHE62:
	leaq	304(%rsp), %rdi
	movq	%rax, %rcx
	movq	%rdi, 288(%rsp)
	movq	(%rax), %rax
	leaq	16(%rcx), %rsi
	movq	8(%rcx), %rdx
	cmpq	%rsi, %rax
	je	.L533
	movq	%rax, 288(%rsp)
	movq	16(%rcx), %rax
	movq	%rax, 304(%rsp)
.L454:
	xorl	%eax, %eax
	movq	%rdx, 296(%rsp)
	movq	%rsi, (%rcx)
	movq	%rax, 8(%rcx)
	movb	$0, 16(%rcx)
.L451:
	leaq	288(%rsp), %rax
	movq	(%r12), %rdi
	leaq	8(%r12), %rsi
	leaq	416(%rsp), %rcx
	movq	%rax, %rdx
	movq	%rax, 56(%rsp)
	movq	%rcx, 48(%rsp)
.LEHB63:
	call	_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_
.LEHE63:
	.p2align 4,,10
	.p2align 3
.L512:
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L384
	movq	%r14, %rsi
	call	memcpy@PLT
	movq	8(%r13), %rax
	jmp	.L384
	.p2align 4,,10
	.p2align 3
.L530:
	movq	%r8, %rdx
	addq	$1, %rdx
	je	.L442
	movq	%rcx, %rsi
	movq	%rcx, 48(%rsp)
	call	memcpy@PLT
	movq	8(%rbx), %r8
	movq	48(%rsp), %rcx
	movq	%rax, %rdi
	jmp	.L442
	.p2align 4,,10
	.p2align 3
.L525:
	movq	%r8, %rdx
	addq	$1, %rdx
	je	.L422
	movq	%rbp, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %r8
	movq	%rax, %rdi
	jmp	.L422
	.p2align 4,,10
	.p2align 3
.L523:
	movq	%rdx, %rax
	addq	$1, %rax
	je	.L417
	movq	%rax, %rdx
	movq	%rbp, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rdx
	jmp	.L417
	.p2align 4,,10
	.p2align 3
.L516:
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L394
	movq	%r13, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rax
	jmp	.L394
	.p2align 4,,10
	.p2align 3
.L514:
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L389
	movq	%r13, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rax
	jmp	.L389
	.p2align 4,,10
	.p2align 3
.L528:
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L437
	movq	%r13, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rax
	jmp	.L437
	.p2align 4,,10
	.p2align 3
.L517:
	leal	5(%rax), %ebx
	jmp	.L397
	.p2align 4,,10
	.p2align 3
.L508:
	leal	5(%rax), %r13d
	jmp	.L373
	.p2align 4,,10
	.p2align 3
.L520:
	leal	5(%rax), %ebx
	jmp	.L407
	.p2align 4,,10
	.p2align 3
.L448:
	movq	24(%rsp), %rdi
	movq	%r9, %rcx
	xorl	%edx, %edx
	xorl	%esi, %esi
	leaq	224(%rsp), %rbx
.LEHB64:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
.LEHE64:
	leaq	304(%rsp), %rdi
	movq	%rax, %rbx
	movq	%rdi, 288(%rsp)
	movq	(%rax), %rax
	leaq	16(%rbx), %rcx
	movq	8(%rbx), %rdx
	cmpq	%rcx, %rax
	je	.L534
	movq	%rax, 288(%rsp)
	movq	16(%rbx), %rax
	movq	%rax, 304(%rsp)
.L450:
	movq	%rdx, 296(%rsp)
	xorl	%edx, %edx
	movq	%rcx, (%rbx)
	movq	%rdx, 8(%rbx)
	movb	$0, 16(%rbx)
	leaq	224(%rsp), %rbx
	jmp	.L451
	.p2align 4,,10
	.p2align 3
.L509:
	leal	6(%rax), %r13d
	jmp	.L373
	.p2align 4,,10
	.p2align 3
.L428:
	movq	16(%rsp), %rdi
	xorl	%edx, %edx
	xorl	%esi, %esi
	leaq	128(%rsp), %rbp
.LEHB65:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm@PLT
	leaq	208(%rsp), %rdi
	leaq	16(%rax), %rbp
	movq	%rax, %rbx
	movq	%rdi, 192(%rsp)
	movq	(%rax), %rdx
	movq	8(%rax), %rax
	cmpq	%rbp, %rdx
	je	.L535
	movq	%rdx, 192(%rsp)
	movq	16(%rbx), %rdx
	movq	%rdx, 208(%rsp)
.L431:
	movq	%rbp, (%rbx)
	leaq	128(%rsp), %rbp
	movq	%rax, 200(%rsp)
	movq	$0, 8(%rbx)
	movb	$0, 16(%rbx)
	jmp	.L433
	.p2align 4,,10
	.p2align 3
.L521:
	leal	6(%rax), %ebx
	jmp	.L407
	.p2align 4,,10
	.p2align 3
.L518:
	leal	6(%rax), %ebx
	jmp	.L397
	.p2align 4,,10
	.p2align 3
.L519:
	leal	7(%rax), %ebx
	jmp	.L397
	.p2align 4,,10
	.p2align 3
.L522:
	leal	7(%rax), %ebx
	jmp	.L407
	.p2align 4,,10
	.p2align 3
.L510:
	leal	7(%rax), %r13d
	jmp	.L373
	.p2align 4,,10
	.p2align 3
.L526:
	movq	160(%rsp), %rsi
	movq	%rsi, %rax
	cmpq	$15, %rdx
	jbe	.L425
	cmpq	%r13, %rsi
	jne	.L426
	jmp	.L425
	.p2align 4,,10
	.p2align 3
.L531:
	movq	256(%rsp), %rsi
	movq	%rsi, %rax
	cmpq	$15, %rdx
	jbe	.L445
	leaq	272(%rsp), %rdi
	cmpq	%rdi, %rsi
	jne	.L446
	jmp	.L445
	.p2align 4,,10
	.p2align 3
.L480:
	movl	$15, %esi
	jmp	.L427
	.p2align 4,,10
	.p2align 3
.L482:
	movl	$15, %esi
	jmp	.L447
.L535:
	movq	%rax, %rdx
	addq	$1, %rdx
	je	.L431
	movq	%rbp, %rsi
	call	memcpy@PLT
	movq	8(%rbx), %rax
	jmp	.L431
.L471:
	movl	$1, %ebx
	jmp	.L397
.L467:
	movl	$1, %r13d
	jmp	.L373
.L475:
	movl	$1, %ebx
	jmp	.L407
.L468:
	movl	$2, %r13d
	jmp	.L373
.L472:
	movl	$2, %ebx
	jmp	.L397
.L476:
	movl	$2, %ebx
	jmp	.L407
.L474:
	movl	$4, %ebx
	jmp	.L397
.L469:
	movl	$3, %r13d
	jmp	.L373
.L470:
	movl	$4, %r13d
	jmp	.L373
.L473:
	movl	$3, %ebx
	jmp	.L397
.L478:
	movl	$4, %ebx
	jmp	.L407
.L477:
	movl	$3, %ebx
	jmp	.L407
.L527:
	leaq	.LC19(%rip), %rdi
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE65:
.L529:
	leaq	.LC19(%rip), %rdi
.LEHB66:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE66:
.L511:
	leaq	.LC19(%rip), %rdi
.LEHB67:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE67:
.L513:
	leaq	.LC19(%rip), %rdi
.LEHB68:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE68:
.L515:
	leaq	.LC19(%rip), %rdi
.LEHB69:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE69:
.L524:
	leaq	.LC19(%rip), %rdi
.LEHB70:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE70:
.L532:
	leaq	.LC19(%rip), %rdi
.LEHB71:
	call	_ZSt20__throw_length_errorPKc@PLT
.LEHE71:
.L534:
	movq	%rdx, %rax
	addq	$1, %rax
	je	.L450
	movq	%rax, %rdx
	movq	%rcx, %rsi
	movq	%rcx, 48(%rsp)
	call	memcpy@PLT
	movq	8(%rbx), %rdx
	movq	48(%rsp), %rcx
	jmp	.L450
.L487:
	movq	%rax, %rbx
	leaq	416(%rsp), %rax
	movq	%rax, 48(%rsp)
	jmp	.L462
.L455:
	movq	56(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L456:
	movq	%rbx, %rdi
	movq	%r12, %rbx
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L457:
	movq	%r13, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L458:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L459:
	movq	%r14, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L460:
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L461:
	movq	16(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L462:
	movq	24(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L463:
	movq	48(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L464:
	movq	32(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L465:
	movq	40(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L466:
	movq	8(%rsp), %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%rbx, %rdi
.LEHB72:
	call	_Unwind_Resume@PLT
.LEHE72:
.L494:
	movq	%rax, %r12
	jmp	.L455
.L490:
	movq	%rax, %rbx
	leaq	416(%rsp), %rax
	movq	%rax, 48(%rsp)
	jmp	.L459
.L489:
	movq	%rax, %rbx
	leaq	416(%rsp), %rax
	movq	%rax, 48(%rsp)
	jmp	.L460
.L488:
	movq	%rax, %rbx
	leaq	416(%rsp), %rax
	movq	%rax, 48(%rsp)
	jmp	.L461
.L484:
	movq	%rax, %rbx
	jmp	.L465
.L483:
	movq	%rax, %rbx
	jmp	.L466
.L486:
	movq	%rax, %rbx
	leaq	416(%rsp), %rax
	movq	%rax, 48(%rsp)
	jmp	.L463
.L491:
	movq	%rax, %rbx
	leaq	416(%rsp), %rax
	movq	%rax, 48(%rsp)
	jmp	.L458
.L533:
	movq	%rdx, %rax
	addq	$1, %rax
	je	.L454
	movq	%rax, %rdx
	movq	%rcx, 56(%rsp)
	movq	%rsi, 48(%rsp)
	call	memcpy@PLT
	movq	56(%rsp), %rcx
	movq	48(%rsp), %rsi
	movq	8(%rcx), %rdx
	jmp	.L454
.L492:
	movq	%rax, %rbx
	leaq	416(%rsp), %rax
	movq	%rax, 48(%rsp)
	jmp	.L457
.L485:
	movq	%rax, %rbx
	jmp	.L464
.L493:
	movq	%rax, %r12
	leaq	416(%rsp), %rax
	movq	%rax, 48(%rsp)
	jmp	.L456
	.cfi_endproc
.LFE5800:
	.section	.gcc_except_table
.LLSDA5800:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE5800-.LLSDACSB5800
.LLSDACSB5800:
	.uleb128 .LEHB51-.LFB5800
	.uleb128 .LEHE51-.LEHB51
	.uleb128 0
	.uleb128 0
	.uleb128 .LEHB52-.LFB5800
	.uleb128 .LEHE52-.LEHB52
	.uleb128 .L483-.LFB5800
	.uleb128 0
	.uleb128 .LEHB53-.LFB5800
	.uleb128 .LEHE53-.LEHB53
	.uleb128 .L484-.LFB5800
	.uleb128 0
	.uleb128 .LEHB54-.LFB5800
	.uleb128 .LEHE54-.LEHB54
	.uleb128 .L485-.LFB5800
	.uleb128 0
	.uleb128 .LEHB55-.LFB5800
	.uleb128 .LEHE55-.LEHB55
	.uleb128 .L486-.LFB5800
	.uleb128 0
	.uleb128 .LEHB56-.LFB5800
	.uleb128 .LEHE56-.LEHB56
	.uleb128 .L487-.LFB5800
	.uleb128 0
	.uleb128 .LEHB57-.LFB5800
	.uleb128 .LEHE57-.LEHB57
	.uleb128 .L488-.LFB5800
	.uleb128 0
	.uleb128 .LEHB58-.LFB5800
	.uleb128 .LEHE58-.LEHB58
	.uleb128 .L489-.LFB5800
	.uleb128 0
	.uleb128 .LEHB59-.LFB5800
	.uleb128 .LEHE59-.LEHB59
	.uleb128 .L490-.LFB5800
	.uleb128 0
	.uleb128 .LEHB60-.LFB5800
	.uleb128 .LEHE60-.LEHB60
	.uleb128 .L491-.LFB5800
	.uleb128 0
	.uleb128 .LEHB61-.LFB5800
	.uleb128 .LEHE61-.LEHB61
	.uleb128 .L492-.LFB5800
	.uleb128 0
	.uleb128 .LEHB62-.LFB5800
	.uleb128 .LEHE62-.LEHB62
	.uleb128 .L493-.LFB5800
	.uleb128 0
	.uleb128 .LEHB63-.LFB5800
	.uleb128 .LEHE63-.LEHB63
	.uleb128 .L494-.LFB5800
	.uleb128 0
	.uleb128 .LEHB64-.LFB5800
	.uleb128 .LEHE64-.LEHB64
	.uleb128 .L493-.LFB5800
	.uleb128 0
	.uleb128 .LEHB65-.LFB5800
	.uleb128 .LEHE65-.LEHB65
	.uleb128 .L491-.LFB5800
	.uleb128 0
	.uleb128 .LEHB66-.LFB5800
	.uleb128 .LEHE66-.LEHB66
	.uleb128 .L492-.LFB5800
	.uleb128 0
	.uleb128 .LEHB67-.LFB5800
	.uleb128 .LEHE67-.LEHB67
	.uleb128 .L483-.LFB5800
	.uleb128 0
	.uleb128 .LEHB68-.LFB5800
	.uleb128 .LEHE68-.LEHB68
	.uleb128 .L484-.LFB5800
	.uleb128 0
	.uleb128 .LEHB69-.LFB5800
	.uleb128 .LEHE69-.LEHB69
	.uleb128 .L485-.LFB5800
	.uleb128 0
	.uleb128 .LEHB70-.LFB5800
	.uleb128 .LEHE70-.LEHB70
	.uleb128 .L490-.LFB5800
	.uleb128 0
	.uleb128 .LEHB71-.LFB5800
	.uleb128 .LEHE71-.LEHB71
	.uleb128 .L493-.LFB5800
	.uleb128 0
	.uleb128 .LEHB72-.LFB5800
	.uleb128 .LEHE72-.LEHB72
	.uleb128 0
	.uleb128 0
.LLSDACSE5800:
	.section	.text._ZNK10torchpaged6Tensor11expect_sizeEllPKc,"axG",@progbits,_ZNK10torchpaged6Tensor11expect_sizeEllPKc,comdat
	.size	_ZNK10torchpaged6Tensor11expect_sizeEllPKc, .-_ZNK10torchpaged6Tensor11expect_sizeEllPKc
	.section	.rodata._ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque.str1.1,"aMS",@progbits,1
.LC36:
	.string	"torchpaged: "
.LC37:
	.string	"reading a tensor's device"
.LC38:
	.string	" failed"
.LC39:
	.string	"a tensor on the CPU"
.LC40:
	.string	"is on another device"
.LC41:
	.string	"reading a tensor's dimensions"
.LC42:
	.string	"reading a tensor's sizes"
.LC43:
	.string	"reading a tensor's strides"
.LC44:
	.string	"reading a tensor's dtype"
.LC45:
	.string	"reading a tensor's address"
	.section	.text._ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque,"axG",@progbits,_ZN10torchpaged6TensorC5EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque,comdat
	.align 2
	.p2align 4
	.weak	_ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque
	.hidden	_ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque
	.type	_ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque, @function
_ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque:
.LFB5790:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA5790
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	leaq	8(%rdi), %r14
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	leaq	16(%rdx), %r13
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	movq	%rcx, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	movq	%rdx, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	movq	%rdi, %rbx
	addq	$24, %rdi
	subq	$136, %rsp
	.cfi_def_cfa_offset 192
	movq	%rsi, -24(%rdi)
	movq	%rdi, 8(%rbx)
	movq	(%rdx), %rax
	cmpq	%r13, %rax
	je	.L620
	movq	%rax, 8(%rbx)
	movq	16(%rdx), %rax
	movq	%rax, 24(%rbx)
	movq	8(%rdx), %rax
.L538:
	movq	%r13, 0(%rbp)
	pxor	%xmm0, %xmm0
	leaq	4(%rsp), %rsi
	movq	%r12, %rdi
	movq	$0, 8(%rbp)
	movq	%rax, 16(%rbx)
	movq	$0, 56(%rbx)
	movb	$0, 16(%rbp)
	movq	$0, 64(%rbx)
	movl	$0, 72(%rbx)
	movups	%xmm0, 40(%rbx)
.LEHB73:
	call	aoti_torch_get_device_type@PLT
	testl	%eax, %eax
	jne	.L621
	movzbl	_ZGVZN10torchpaged11torch_typesEvE5types(%rip), %eax
	testb	%al, %al
	je	.L622
.L546:
	movl	4(%rsp), %eax
	cmpl	%eax, 36+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	je	.L623
	leaq	96(%rsp), %rbp
	leaq	19+.LC39(%rip), %rdx
	leaq	112(%rsp), %rax
	leaq	-19(%rdx), %rsi
	movq	%rbp, %rdi
	movq	%rax, 96(%rsp)
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tag.isra.0
.LEHE73:
	leaq	64(%rsp), %r12
	leaq	20+.LC40(%rip), %rdx
	leaq	80(%rsp), %rax
	leaq	-20(%rdx), %rsi
	movq	%r12, %rdi
	movq	%rax, 64(%rsp)
.LEHB74:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tag.isra.0
.LEHE74:
	movq	(%rbx), %rdi
	movq	%rbp, %rcx
	movq	%r12, %rdx
	movq	%r14, %rsi
.LEHB75:
	call	_ZN10torchpaged6refuseEPKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES9_S9_
.LEHE75:
	.p2align 4,,10
	.p2align 3
.L623:
	leaq	64(%rbx), %rsi
	movq	%r12, %rdi
.LEHB76:
	call	aoti_torch_get_dim@PLT
	testl	%eax, %eax
	jne	.L624
	leaq	8(%rsp), %rsi
	movq	%r12, %rdi
	call	aoti_torch_get_sizes@PLT
	testl	%eax, %eax
	jne	.L625
	leaq	16(%rsp), %rsi
	movq	%r12, %rdi
	call	aoti_torch_get_strides@PLT
	testl	%eax, %eax
	jne	.L626
	leaq	72(%rbx), %rsi
	movq	%r12, %rdi
	call	aoti_torch_get_dtype@PLT
	testl	%eax, %eax
	jne	.L627
	leaq	24(%rsp), %rsi
	movq	%r12, %rdi
	call	aoti_torch_get_data_ptr@PLT
.LEHE76:
	testl	%eax, %eax
	jne	.L628
	movq	24(%rsp), %rax
	leaq	_ZZN10torchpaged10address_ofEP16AtenTensorOpaquePKcE7nowhere(%rip), %rdx
	testq	%rax, %rax
	cmove	%rdx, %rax
	movq	%rax, %xmm0
	movq	16(%rsp), %rax
	movhps	8(%rsp), %xmm0
	movq	%rax, 56(%rbx)
	movups	%xmm0, 40(%rbx)
	addq	$136, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%rbp
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L622:
	.cfi_restore_state
	leaq	_ZGVZN10torchpaged11torch_typesEvE5types(%rip), %rbp
	movq	%rbp, %rdi
	call	__cxa_guard_acquire@PLT
	testl	%eax, %eax
	je	.L546
.LEHB77:
	call	aoti_torch_dtype_float32@PLT
	movl	%eax, _ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_float16@PLT
	movl	%eax, 4+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_bfloat16@PLT
	movl	%eax, 8+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_float8_e4m3fn@PLT
	movl	%eax, 12+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_float8_e5m2@PLT
	movl	%eax, 16+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_int8@PLT
	movl	%eax, 20+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_int32@PLT
	movl	%eax, 24+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_int64@PLT
	movl	%eax, 28+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_dtype_bool@PLT
	movl	%eax, 32+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	aoti_torch_device_type_cpu@PLT
.LEHE77:
	movq	%rbp, %rdi
	movl	%eax, 36+_ZZN10torchpaged11torch_typesEvE5types(%rip)
	call	__cxa_guard_release@PLT
	jmp	.L546
	.p2align 4,,10
	.p2align 3
.L620:
	movq	8(%rdx), %rdx
	movq	$-1, %rax
	addq	$1, %rdx
	je	.L538
	movq	%r13, %rsi
	call	memcpy@PLT
	movq	8(%rbp), %rax
	jmp	.L538
.L588:
	movq	%rax, %rbx
	jmp	.L550
.L621:
	movl	$16, %edi
	leaq	32(%rsp), %r15
	call	__cxa_allocate_exception@PLT
	leaq	24(%rsp), %rdx
	leaq	.LC36(%rip), %rsi
	movq	%r15, %rdi
	movq	%rax, %r13
.LEHB78:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_@PLT
.LEHE78:
	leaq	.LC37(%rip), %rsi
	movq	%r15, %rdi
.LEHB79:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE79:
	leaq	64(%rsp), %r12
	movq	%rax, %rsi
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	leaq	.LC38(%rip), %rsi
	movq	%r12, %rdi
.LEHB80:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE80:
	leaq	96(%rsp), %rbp
	movq	%rax, %rsi
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	%rbp, %rsi
	movq	%r13, %rdi
.LEHB81:
	call	_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE@PLT
.LEHE81:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	_ZNSt13runtime_errorD1Ev@GOTPCREL(%rip), %rdx
	movq	_ZTISt13runtime_error@GOTPCREL(%rip), %rsi
	movq	%r13, %rdi
.LEHB82:
	call	__cxa_throw@PLT
.LEHE82:
.L550:
	movq	%rbp, %rdi
	call	__cxa_guard_abort@PLT
.L544:
	movq	%r14, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%rbx, %rdi
.LEHB83:
	call	_Unwind_Resume@PLT
.LEHE83:
.L587:
.L619:
	movq	%rax, %rbx
	jmp	.L572
.L586:
.L618:
	movq	%rax, %rbx
	jmp	.L573
.L572:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L573:
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L574:
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L575:
	movq	%r13, %rdi
	call	__cxa_free_exception@PLT
	jmp	.L544
.L585:
.L617:
	movq	%rax, %rbx
	jmp	.L574
.L584:
.L616:
	movq	%rax, %rbx
	jmp	.L575
.L581:
	movq	%rax, %rbx
	jmp	.L544
.L583:
	movq	%rax, %rbx
	jmp	.L577
.L582:
	movq	%rax, %rbx
	jmp	.L578
.L624:
	movl	$16, %edi
	leaq	32(%rsp), %r15
	call	__cxa_allocate_exception@PLT
	leaq	24(%rsp), %rdx
	leaq	.LC36(%rip), %rsi
	movq	%r15, %rdi
	movq	%rax, %r13
.LEHB84:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_@PLT
.LEHE84:
	leaq	.LC41(%rip), %rsi
	movq	%r15, %rdi
.LEHB85:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE85:
	leaq	64(%rsp), %r12
	movq	%rax, %rsi
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	leaq	.LC38(%rip), %rsi
	movq	%r12, %rdi
.LEHB86:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE86:
	leaq	96(%rsp), %rbp
	movq	%rax, %rsi
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	%rbp, %rsi
	movq	%r13, %rdi
.LEHB87:
	call	_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE@PLT
.LEHE87:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	_ZNSt13runtime_errorD1Ev@GOTPCREL(%rip), %rdx
	movq	_ZTISt13runtime_error@GOTPCREL(%rip), %rsi
	movq	%r13, %rdi
.LEHB88:
	call	__cxa_throw@PLT
.LEHE88:
.L577:
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
.L578:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	jmp	.L544
.L592:
	jmp	.L619
.L591:
	jmp	.L618
.L590:
	jmp	.L617
.L589:
	jmp	.L616
.L625:
	movl	$16, %edi
	leaq	32(%rsp), %r15
	call	__cxa_allocate_exception@PLT
	leaq	24(%rsp), %rdx
	leaq	.LC36(%rip), %rsi
	movq	%r15, %rdi
	movq	%rax, %r13
.LEHB89:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_@PLT
.LEHE89:
	leaq	.LC42(%rip), %rsi
	movq	%r15, %rdi
.LEHB90:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE90:
	leaq	64(%rsp), %r12
	movq	%rax, %rsi
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	leaq	.LC38(%rip), %rsi
	movq	%r12, %rdi
.LEHB91:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE91:
	leaq	96(%rsp), %rbp
	movq	%rax, %rsi
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	%rbp, %rsi
	movq	%r13, %rdi
.LEHB92:
	call	_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE@PLT
.LEHE92:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	_ZNSt13runtime_errorD1Ev@GOTPCREL(%rip), %rdx
	movq	_ZTISt13runtime_error@GOTPCREL(%rip), %rsi
	movq	%r13, %rdi
.LEHB93:
	call	__cxa_throw@PLT
.LEHE93:
.L626:
	movl	$16, %edi
	leaq	32(%rsp), %r15
	call	__cxa_allocate_exception@PLT
	leaq	24(%rsp), %rdx
	leaq	.LC36(%rip), %rsi
	movq	%r15, %rdi
	movq	%rax, %r13
.LEHB94:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_@PLT
.LEHE94:
	leaq	.LC43(%rip), %rsi
	movq	%r15, %rdi
.LEHB95:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE95:
	leaq	64(%rsp), %r12
	movq	%rax, %rsi
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	leaq	.LC38(%rip), %rsi
	movq	%r12, %rdi
.LEHB96:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE96:
	leaq	96(%rsp), %rbp
	movq	%rax, %rsi
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	%rbp, %rsi
	movq	%r13, %rdi
.LEHB97:
	call	_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE@PLT
.LEHE97:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	_ZNSt13runtime_errorD1Ev@GOTPCREL(%rip), %rdx
	movq	_ZTISt13runtime_error@GOTPCREL(%rip), %rsi
	movq	%r13, %rdi
.LEHB98:
	call	__cxa_throw@PLT
.LEHE98:
.L596:
	jmp	.L619
.L595:
	jmp	.L618
.L600:
	jmp	.L619
.L599:
	jmp	.L618
.L598:
	jmp	.L617
.L597:
	jmp	.L616
.L594:
	jmp	.L617
.L593:
	jmp	.L616
.L627:
	movl	$16, %edi
	leaq	32(%rsp), %r15
	call	__cxa_allocate_exception@PLT
	leaq	24(%rsp), %rdx
	leaq	.LC36(%rip), %rsi
	movq	%r15, %rdi
	movq	%rax, %r13
.LEHB99:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_@PLT
.LEHE99:
	leaq	.LC44(%rip), %rsi
	movq	%r15, %rdi
.LEHB100:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE100:
	leaq	64(%rsp), %r12
	movq	%rax, %rsi
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	leaq	.LC38(%rip), %rsi
	movq	%r12, %rdi
.LEHB101:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE101:
	leaq	96(%rsp), %rbp
	movq	%rax, %rsi
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	%rbp, %rsi
	movq	%r13, %rdi
.LEHB102:
	call	_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE@PLT
.LEHE102:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	_ZNSt13runtime_errorD1Ev@GOTPCREL(%rip), %rdx
	movq	_ZTISt13runtime_error@GOTPCREL(%rip), %rsi
	movq	%r13, %rdi
.LEHB103:
	call	__cxa_throw@PLT
.LEHE103:
.L628:
	movl	$16, %edi
	leaq	32(%rsp), %r15
	call	__cxa_allocate_exception@PLT
	leaq	3(%rsp), %rdx
	leaq	.LC36(%rip), %rsi
	movq	%r15, %rdi
	movq	%rax, %r13
.LEHB104:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1IS3_EEPKcRKS3_@PLT
.LEHE104:
	leaq	.LC45(%rip), %rsi
	movq	%r15, %rdi
.LEHB105:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE105:
	leaq	64(%rsp), %r12
	movq	%rax, %rsi
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	leaq	.LC38(%rip), %rsi
	movq	%r12, %rdi
.LEHB106:
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc@PLT
.LEHE106:
	leaq	96(%rsp), %rbp
	movq	%rax, %rsi
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_@PLT
	movq	%rbp, %rsi
	movq	%r13, %rdi
.LEHB107:
	call	_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE@PLT
.LEHE107:
	movq	%rbp, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r12, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	%r15, %rdi
	call	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv@PLT
	movq	_ZNSt13runtime_errorD1Ev@GOTPCREL(%rip), %rdx
	movq	_ZTISt13runtime_error@GOTPCREL(%rip), %rsi
	movq	%r13, %rdi
.LEHB108:
	call	__cxa_throw@PLT
.LEHE108:
.L604:
	jmp	.L619
.L603:
	jmp	.L618
.L602:
	jmp	.L617
.L601:
	jmp	.L616
.L608:
	jmp	.L619
.L607:
	jmp	.L618
.L606:
	jmp	.L617
.L605:
	jmp	.L616
	.cfi_endproc
.LFE5790:
	.section	.gcc_except_table
.LLSDA5790:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE5790-.LLSDACSB5790
.LLSDACSB5790:
	.uleb128 .LEHB73-.LFB5790
	.uleb128 .LEHE73-.LEHB73
	.uleb128 .L581-.LFB5790
	.uleb128 0
	.uleb128 .LEHB74-.LFB5790
	.uleb128 .LEHE74-.LEHB74
	.uleb128 .L582-.LFB5790
	.uleb128 0
	.uleb128 .LEHB75-.LFB5790
	.uleb128 .LEHE75-.LEHB75
	.uleb128 .L583-.LFB5790
	.uleb128 0
	.uleb128 .LEHB76-.LFB5790
	.uleb128 .LEHE76-.LEHB76
	.uleb128 .L581-.LFB5790
	.uleb128 0
	.uleb128 .LEHB77-.LFB5790
	.uleb128 .LEHE77-.LEHB77
	.uleb128 .L588-.LFB5790
	.uleb128 0
	.uleb128 .LEHB78-.LFB5790
	.uleb128 .LEHE78-.LEHB78
	.uleb128 .L584-.LFB5790
	.uleb128 0
	.uleb128 .LEHB79-.LFB5790
	.uleb128 .LEHE79-.LEHB79
	.uleb128 .L585-.LFB5790
	.uleb128 0
	.uleb128 .LEHB80-.LFB5790
	.uleb128 .LEHE80-.LEHB80
	.uleb128 .L586-.LFB5790
	.uleb128 0
	.uleb128 .LEHB81-.LFB5790
	.uleb128 .LEHE81-.LEHB81
	.uleb128 .L587-.LFB5790
	.uleb128 0
	.uleb128 .LEHB82-.LFB5790
	.uleb128 .LEHE82-.LEHB82
	.uleb128 .L581-.LFB5790
	.uleb128 0
	.uleb128 .LEHB83-.LFB5790
	.uleb128 .LEHE83-.LEHB83
	.uleb128 0
	.uleb128 0
	.uleb128 .LEHB84-.LFB5790
	.uleb128 .LEHE84-.LEHB84
	.uleb128 .L589-.LFB5790
	.uleb128 0
	.uleb128 .LEHB85-.LFB5790
	.uleb128 .LEHE85-.LEHB85
	.uleb128 .L590-.LFB5790
	.uleb128 0
	.uleb128 .LEHB86-.LFB5790
	.uleb128 .LEHE86-.LEHB86
	.uleb128 .L591-.LFB5790
	.uleb128 0
	.uleb128 .LEHB87-.LFB5790
	.uleb128 .LEHE87-.LEHB87
	.uleb128 .L592-.LFB5790
	.uleb128 0
	.uleb128 .LEHB88-.LFB5790
	.uleb128 .LEHE88-.LEHB88
	.uleb128 .L581-.LFB5790
	.uleb128 0
	.uleb128 .LEHB89-.LFB5790
	.uleb128 .LEHE89-.LEHB89
	.uleb128 .L593-.LFB5790
	.uleb128 0
	.uleb128 .LEHB90-.LFB5790
	.uleb128 .LEHE90-.LEHB90
	.uleb128 .L594-.LFB5790
	.uleb128 0
	.uleb128 .LEHB91-.LFB5790
	.uleb128 .LEHE91-.LEHB91
	.uleb128 .L595-.LFB5790
	.uleb128 0
	.uleb128 .LEHB92-.LFB5790
	.uleb128 .LEHE92-.LEHB92
	.uleb128 .L596-.LFB5790
	.uleb128 0
	.uleb128 .LEHB93-.LFB5790
	.uleb128 .LEHE93-.LEHB93
	.uleb128 .L581-.LFB5790
	.uleb128 0
	.uleb128 .LEHB94-.LFB5790
	.uleb128 .LEHE94-.LEHB94
	.uleb128 .L597-.LFB5790
	.uleb128 0
	.uleb128 .LEHB95-.LFB5790
	.uleb128 .LEHE95-.LEHB95
	.uleb128 .L598-.LFB5790
	.uleb128 0
	.uleb128 .LEHB96-.LFB5790
	.uleb128 .LEHE96-.LEHB96
	.uleb128 .L599-.LFB5790
	.uleb128 0
	.uleb128 .LEHB97-.LFB5790
	.uleb128 .LEHE97-.LEHB97
	.uleb128 .L600-.LFB5790
	.uleb128 0
	.uleb128 .LEHB98-.LFB5790
	.uleb128 .LEHE98-.LEHB98
	.uleb128 .L581-.LFB5790
	.uleb128 0
	.uleb128 .LEHB99-.LFB5790
	.uleb128 .LEHE99-.LEHB99
	.uleb128 .L601-.LFB5790
	.uleb128 0
	.uleb128 .LEHB100-.LFB5790
	.uleb128 .LEHE100-.LEHB100
	.uleb128 .L602-.LFB5790
	.uleb128 0
	.uleb128 .LEHB101-.LFB5790
	.uleb128 .LEHE101-.LEHB101
	.uleb128 .L603-.LFB5790
	.uleb128 0
	.uleb128 .LEHB102-.LFB5790
	.uleb128 .LEHE102-.LEHB102
	.uleb128 .L604-.LFB5790
	.uleb128 0
	.uleb128 .LEHB103-.LFB5790
	.uleb128 .LEHE103-.LEHB103
	.uleb128 .L581-.LFB5790
	.uleb128 0
	.uleb128 .LEHB104-.LFB5790
	.uleb128 .LEHE104-.LEHB104
	.uleb128 .L605-.LFB5790
	.uleb128 0
	.uleb128 .LEHB105-.LFB5790
	.uleb128 .LEHE105-.LEHB105
	.uleb128 .L606-.LFB5790
	.uleb128 0
	.uleb128 .LEHB106-.LFB5790
	.uleb128 .LEHE106-.LEHB106
	.uleb128 .L607-.LFB5790
	.uleb128 0
	.uleb128 .LEHB107-.LFB5790
	.uleb128 .LEHE107-.LEHB107
	.uleb128 .L608-.LFB5790
	.uleb128 0
	.uleb128 .LEHB108-.LFB5790
	.uleb128 .LEHE108-.LEHB108
	.uleb128 .L581-.LFB5790
	.uleb128 0
.LLSDACSE5790:
	.section	.text._ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque,"axG",@progbits,_ZN10torchpaged6TensorC5EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque,comdat
	.size	_ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque, .-_ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque
	.weak	_ZN10torchpaged6TensorC1EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque
	.hidden	_ZN10torchpaged6TensorC1EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque
	.set	_ZN10torchpaged6TensorC1EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque,_ZN10torchpaged6TensorC2EPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP16AtenTensorOpaque
	.section	.text._ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED2Ev,"axG",@progbits,_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED5Ev,comdat
	.align 2
	.p2align 4
	.weak	_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED2Ev
	.hidden	_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED2Ev
	.type	_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED2Ev, @function
_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED2Ev:
.LFB6361:
	.cfi_startproc
	movq	(%rdi), %rax
	testq	%rax, %rax
	je	.L629
	movq	16(%rdi), %rsi
	movq	%rax, %rdi
	subq	%rax, %rsi
	jmp	_ZdlPvm@PLT
	.p2align 4,,10
	.p2align 3
.L629:
	ret
	.cfi_endproc
.LFE6361:
	.size	_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED2Ev, .-_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED2Ev
	.weak	_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED1Ev
	.hidden	_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED1Ev
	.set	_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED1Ev,_ZNSt12_Vector_baseIN10torchpaged7RowPartESaIS1_EED2Ev
	.section	.rodata._ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_.str1.1,"aMS",@progbits,1
.LC46:
	.string	"vector::_M_realloc_insert"
	.section	.text._ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_,"axG",@progbits,_ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_,comdat
	.align 2
	.p2align 4
	.weak	_ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_
	.hidden	_ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_
	.type	_ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_, @function
_ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_:
.LFB6669:
	.cfi_startproc
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	movq	%rdx, %rcx
	movabsq	$-6148914691236517205, %rdx
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	subq	$24, %rsp
	.cfi_def_cfa_offset 80
	movq	8(%rdi), %r12
	movq	(%rdi), %r13
	movq	%r12, %rax
	subq	%r13, %rax
	sarq	$4, %rax
	imulq	%rdx, %rax
	movabsq	$192153584101141162, %rdx
	cmpq	%rdx, %rax
	je	.L653
	cmpq	%r12, %r13
	movl	$1, %edx
	movq	%rsi, %r14
	movq	%rdi, %rbx
	cmovne	%rax, %rdx
	xorl	%esi, %esi
	addq	%rdx, %rax
	movq	%r14, %rdx
	setc	%sil
	subq	%r13, %rdx
	testq	%rsi, %rsi
	jne	.L646
	testq	%rax, %rax
	jne	.L654
	xorl	%r15d, %r15d
	xorl	%ebp, %ebp
.L637:
	movdqu	(%rcx), %xmm0
	movdqu	16(%rcx), %xmm1
	leaq	48(%rbp,%rdx), %r8
	movdqu	32(%rcx), %xmm2
	movq	%r12, %rcx
	subq	%r14, %rcx
	movups	%xmm0, 0(%rbp,%rdx)
	movups	%xmm1, 16(%rbp,%rdx)
	leaq	(%r8,%rcx), %r12
	movups	%xmm2, 32(%rbp,%rdx)
	testq	%rdx, %rdx
	jg	.L655
	testq	%rcx, %rcx
	jg	.L642
	testq	%r13, %r13
	jne	.L640
.L643:
	movq	%rbp, (%rbx)
	movq	%r12, 8(%rbx)
	movq	%r15, 16(%rbx)
	addq	$24, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%rbp
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L655:
	.cfi_restore_state
	movq	%r13, %rsi
	movq	%rbp, %rdi
	movq	%rcx, (%rsp)
	movq	%r8, 8(%rsp)
	call	memmove@PLT
	movq	(%rsp), %rcx
	testq	%rcx, %rcx
	jg	.L656
.L640:
	movq	16(%rbx), %rsi
	movq	%r13, %rdi
	subq	%r13, %rsi
	call	_ZdlPvm@PLT
	jmp	.L643
	.p2align 4,,10
	.p2align 3
.L642:
	movq	%rcx, %rdx
	movq	%r14, %rsi
	movq	%r8, %rdi
	call	memcpy@PLT
	testq	%r13, %r13
	je	.L643
	jmp	.L640
	.p2align 4,,10
	.p2align 3
.L646:
	movabsq	$9223372036854775776, %r15
.L636:
	movq	%r15, %rdi
	movq	%rcx, 8(%rsp)
	movq	%rdx, (%rsp)
	call	_Znwm@PLT
	movq	(%rsp), %rdx
	movq	8(%rsp), %rcx
	movq	%rax, %rbp
	addq	%rax, %r15
	jmp	.L637
	.p2align 4,,10
	.p2align 3
.L656:
	movq	8(%rsp), %rdi
	movq	%r14, %rsi
	movq	%rcx, %rdx
	call	memcpy@PLT
	movq	16(%rbx), %rsi
	movq	%r13, %rdi
	subq	%r13, %rsi
	call	_ZdlPvm@PLT
	jmp	.L643
	.p2align 4,,10
	.p2align 3
.L654:
	movabsq	$192153584101141162, %rsi
	cmpq	%rsi, %rax
	cmova	%rsi, %rax
	leaq	(%rax,%rax,2), %r15
	salq	$4, %r15
	jmp	.L636
.L653:
	leaq	.LC46(%rip), %rdi
	call	_ZSt20__throw_length_errorPKc@PLT
	.cfi_endproc
.LFE6669:
	.size	_ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_, .-_ZNSt6vectorIN10torchpaged7RowPartESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_
	.section	.text._ZNSt6vectorIP16AtenTensorOpaqueSaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_,"axG",@progbits,_ZNSt6vectorIP16AtenTensorOpaqueSaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_,comdat
	.align 2
	.p2align 4
	.weak	_ZNSt6vectorIP16AtenTensorOpaqueSaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_
	.hidden	_ZNSt6vectorIP16AtenTensorOpaqueSaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_
	.type	_ZNSt6vectorIP16AtenTensorOpaqueSaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_, @function
_ZNSt6vectorIP16AtenTensorOpaqueSaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_:
.LFB6829:
	.cfi_startproc
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	movq	%rdx, %r15
	movabsq	$1152921504606846975, %rdx
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	subq	$24, %rsp
	.cfi_def_cfa_offset 80
	movq	8(%rdi), %r12
	movq	(%rdi), %r13
	movq	%r12, %rax
	subq	%r13, %rax
	sarq	$3, %rax
	cmpq	%rdx, %rax
	je	.L679
	cmpq	%r12, %r13
	movl	$1, %edx
	movq	%rdi, %rbp
	movq	%rsi, %r14
	cmovne	%rax, %rdx
	xorl	%ecx, %ecx
	addq	%rdx, %rax
	movq	%rsi, %rdx
	setc	%cl
	subq	%r13, %rdx
	testq	%rcx, %rcx
	jne	.L672
	testq	%rax, %rax
	jne	.L680
	xorl	%ebx, %ebx
	xorl	%ecx, %ecx
.L663:
	movq	(%r15), %rax
	leaq	8(%rcx,%rdx), %r8
	subq	%r14, %r12
	leaq	(%r8,%r12), %r15
	movq	%rax, (%rcx,%rdx)
	testq	%rdx, %rdx
	jg	.L681
	testq	%r12, %r12
	jg	.L668
	testq	%r13, %r13
	jne	.L666
.L669:
	movq	%rcx, 0(%rbp)
	movq	%r15, 8(%rbp)
	movq	%rbx, 16(%rbp)
	addq	$24, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%rbp
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L681:
	.cfi_restore_state
	movq	%rcx, %rdi
	movq	%r13, %rsi
	movq	%r8, (%rsp)
	call	memmove@PLT
	movq	%rax, %rcx
	testq	%r12, %r12
	jg	.L682
.L666:
	movq	16(%rbp), %rsi
	movq	%r13, %rdi
	movq	%rcx, (%rsp)
	subq	%r13, %rsi
	call	_ZdlPvm@PLT
	movq	(%rsp), %rcx
	jmp	.L669
	.p2align 4,,10
	.p2align 3
.L668:
	movq	%r12, %rdx
	movq	%r14, %rsi
	movq	%r8, %rdi
	movq	%rcx, (%rsp)
	call	memcpy@PLT
	movq	(%rsp), %rcx
	testq	%r13, %r13
	je	.L669
	jmp	.L666
	.p2align 4,,10
	.p2align 3
.L672:
	movabsq	$9223372036854775800, %rbx
.L662:
	movq	%rbx, %rdi
	movq	%rdx, (%rsp)
	call	_Znwm@PLT
	movq	(%rsp), %rdx
	movq	%rax, %rcx
	addq	%rax, %rbx
	jmp	.L663
	.p2align 4,,10
	.p2align 3
.L682:
	movq	(%rsp), %rdi
	movq	%r12, %rdx
	movq	%r14, %rsi
	movq	%rax, 8(%rsp)
	call	memcpy@PLT
	movq	8(%rsp), %rcx
	jmp	.L666
	.p2align 4,,10
	.p2align 3
.L680:
	movabsq	$1152921504606846975, %rcx
	cmpq	%rcx, %rax
	cmova	%rcx, %rax
	leaq	0(,%rax,8), %rbx
	jmp	.L662
.L679:
	leaq	.LC46(%rip), %rdi
	call	_ZSt20__throw_length_errorPKc@PLT
	.cfi_endproc
.LFE6829:
	.size	_ZNSt6vectorIP16AtenTensorOpaqueSaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_, .-_ZNSt6vectorIP16AtenTensorOpaqueSaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_
	.section	.rodata.str1.1
.LC47:
	.string	"causal_conv1d"
.LC49:
	.string	"reading a list of tensors"
.LC50:
	.string	"x"
.LC51:
	.string	"weight"
.LC52:
	.string	"slot_mapping"
.LC53:
	.string	"block_tables"
.LC54:
	.string	"seq_lens"
.LC55:
	.string	"query_start_loc"
.LC56:
	.string	"[num_tokens, channels]"
.LC57:
	.string	"1"
.LC58:
	.string	"has stride "
.LC59:
	.string	" in its last dimension"
.LC60:
	.string	"[channels, width]"
.LC61:
	.string	"channels of x"
.LC62:
	.string	"has shape "
.LC63:
	.string	"[channels]"
.LC64:
	.string	"caches["
.LC65:
	.string	"]"
	.section	.rodata.str1.8
	.align 8
.LC66:
	.string	"[num_blocks, block_size, num_heads, head_dim]"
	.section	.rodata.str1.1
.LC67:
	.string	"num_blocks, as in caches[0]"
.LC68:
	.string	"block_size, as in caches[0]"
	.section	.rodata.str1.8
	.align 8
.LC69:
	